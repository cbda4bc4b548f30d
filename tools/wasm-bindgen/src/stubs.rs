//! Stubs for functions that are linked although no page reaches them.

use anyhow::{Result, ensure};
use wasm_bindgen_cli_support::Output;

/// Parts of the names of functions that no page reaches, by what calls them. A pointer in the table of functions keeps them linked.
const UNREACHED: [&[&str]; 3] = [
    // A panic stops the module with or without a message, and there is nothing to print the message to.
    &["core::panicking::", "std::panicking::"],
    // Checks of the standard library, whose panics have messages of their own.
    &["unwrap_failed", "slice_index_fail", "slice_error_fail"],
    // What these messages print.
    &[" as core::fmt::Debug>::fmt"],
];

/// Replaces the bodies of the functions that no page reaches by a trap.
///
/// # Errors
///
/// Some group has no function, because all have other names or are not linked any more.
pub(crate) fn stub_unreached(output: &mut Output) -> Result<()> {
    let functions = &mut output.wasm_mut().funcs;
    let names: Vec<_> = functions
        .iter_local()
        .filter_map(|(id, _)| Some((id, without_hashes(functions.get(id).name.as_deref()?))))
        .collect();
    for parts in UNREACHED {
        let mut count = 0;
        for (id, _) in names.iter().filter(|(_, name)| parts.iter().any(|part| name.contains(part))) {
            let mut body = functions.get_mut(*id).kind.unwrap_local_mut().builder_mut().func_body();
            body.instrs_mut().clear();
            body.unreachable();
            count += 1;
        }
        ensure!(count > 0, "no function of the module has the name of {parts:?}; see tools/wasm-bindgen/src/stubs.rs");
    }
    Ok(())
}

/// Removes the hashes of crates: `core::fmt::write` for `core[c5930c85a12de822]::fmt::write`.
fn without_hashes(name: &str) -> String {
    let mut parts = name.split('[');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(']') {
            Some((hash, rest)) if hash.len() > 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => plain += rest,
            _ => plain = plain + "[" + part,
        }
    }
    plain
}
