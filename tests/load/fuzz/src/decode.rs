//! The fuzz target: any bodies, alone and as the partitions of one retrieval, or a saved table, and what can be asked of them.
#![no_main]

mod body;
mod input;
mod json;
#[path = "../../../../src/chunk/decode/tests/reference.rs"]
mod reference;
mod retrieval;
mod saved;

use libfuzzer_sys::fuzz_target;

use self::input::Input;

fuzz_target!(|bytes: &[u8]| match Input::read(bytes) {
    Some(Input::Bodies(bodies)) => {
        for partition in &bodies.partitions {
            body::check(partition.body, bodies.slice, bodies.columns.as_deref());
        }
        retrieval::check(&bodies);
    }
    Some(Input::Saved(bytes)) => saved::check(bytes),
    None => {}
});
