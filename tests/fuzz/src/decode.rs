//! The fuzz target for decoding: any bodies, alone and as the partitions of one retrieval, and what can be asked of them.
#![no_main]

mod body;
mod counts;
mod input;
mod json;
mod queries;
#[path = "../../../src/columns/decode/reference.rs"]
mod reference;
mod retrieval;

use libfuzzer_sys::fuzz_target;

use self::input::Input;

fuzz_target!(|bytes: &[u8]| {
    let Some(input) = Input::read(bytes) else { return };
    for partition in &input.partitions {
        body::check(partition.body, input.slice);
        counts::check(partition.body);
    }
    retrieval::check(&input);
});
