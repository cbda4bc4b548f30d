//! The places in the source where a panic can happen. Each panic passes one to functions that the build stubs, so no page reads them.

use std::ops::Range;

use anyhow::{Result, ensure};
use walrus::ir::Value;
use walrus::{ConstExpr, Data, DataKind, ModuleData};
use wasm_bindgen_cli_support::Output;

/// The size of a `core::panic::Location`: the address and the length of a file's name, a line and a column.
const SIZE: usize = 16;

/// Overwrites all locations and the names of their files by zeros, which optimisers leave out.
///
/// # Errors
///
/// The module has no location, or they have another form.
pub(crate) fn blank(output: &mut Output) -> Result<()> {
    let segments = &mut output.wasm_mut().data;
    let mut places = Vec::new();
    for segment in segments.iter() {
        let Some(start) = start_of(segment) else { continue };
        // Structs are aligned in memory, not in their segment.
        for at in (start.next_multiple_of(4)..start + segment.value.len()).step_by(4) {
            let location = at..at + SIZE;
            if let Some(name) = read(segments, &location).and_then(name_of).filter(|name| is_file(segments, name)) {
                places.extend([location, name]);
            }
        }
    }
    ensure!(!places.is_empty(), "the module has no locations of panics; see tools/wasm-bindgen/src/locations.rs");
    let ids: Vec<_> = segments.iter().map(Data::id).collect();
    for id in ids {
        let segment = segments.get_mut(id);
        for place in &places {
            if let Some(bytes) = within(segment, place).and_then(|range| segment.value.get_mut(range)) {
                bytes.fill(0);
            }
        }
    }
    Ok(())
}

/// The place of the file's name of a location, with the zero at its end.
fn name_of(location: &[u8]) -> Option<Range<usize>> {
    let word = |at: usize| Some(u32::from_le_bytes(location.get(at..at + 4)?.try_into().ok()?) as usize);
    let (start, length) = (word(0)?, word(4)?);
    Some(start..start.checked_add(length)?.checked_add(1)?)
}

fn is_file(segments: &ModuleData, name: &Range<usize>) -> bool {
    read(segments, name).is_some_and(|name| name.ends_with(b".rs\0"))
}

fn read<'a>(segments: &'a ModuleData, place: &Range<usize>) -> Option<&'a [u8]> {
    segments.iter().find_map(|segment| segment.value.get(within(segment, place)?))
}

/// A place in memory as a place in a segment.
fn within(segment: &Data, place: &Range<usize>) -> Option<Range<usize>> {
    let start = start_of(segment)?;
    Some(place.start.checked_sub(start)?..place.end.checked_sub(start)?)
}

/// The address of a segment in memory.
fn start_of(segment: &Data) -> Option<usize> {
    match segment.kind {
        DataKind::Active { offset: ConstExpr::Value(Value::I32(start)), .. } => usize::try_from(start).ok(),
        _ => None,
    }
}
