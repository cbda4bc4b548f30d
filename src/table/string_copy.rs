//! Copies of many strings, one after the other.

use chunk::memory::{OutOfMemory, with_capacity};
use chunk::rows::string_pieces::bytes_of;
use chunk::value::strings::StringSource;

/// The bytes that are gathered before they are written.
const BUFFER: usize = 1 << 14;

/// Copies strings. `next` replaces a list with the next ids, with none at the end; `write` takes the next bytes.
///
/// # Errors
///
/// Out of memory.
pub fn copy_strings(
    strings: &dyn StringSource,
    next: &mut dyn FnMut(&mut Vec<u32>) -> Result<(), OutOfMemory>,
    write: &mut dyn FnMut(&[u8]),
) -> Result<(), OutOfMemory> {
    let (mut ids, mut buffer) = (Vec::new(), with_capacity(BUFFER)?);
    loop {
        next(&mut ids)?;
        for id in &ids {
            let string = bytes_of(strings, *id);
            if buffer.len() + string.len() > BUFFER {
                write(&buffer);
                buffer.clear();
            }
            if string.len() > BUFFER {
                write(string);
            } else {
                buffer.extend_from_slice(string);
            }
        }
        if ids.is_empty() {
            write(&buffer);
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chunk::value::strings::StringKind;
    use proptest::prelude::*;

    /// Texts by their index.
    struct Texts(Vec<String>);

    impl StringSource for Texts {
        fn string(&self, id: u32) -> Option<(StringKind, &[u8])> {
            self.0.get(id as usize).map(|text| (StringKind::Ascii, text.as_bytes()))
        }
    }

    proptest! {
        #[test]
        fn copies_strings_in_their_order(
            lengths in prop::collection::vec(prop_oneof![30 => 0..40_usize, 4 => 100..700_usize, 1 => 16_000..40_000_usize], 1..200),
            parts in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 1..60), 0..4),
        ) {
            let texts: Vec<_> = lengths.iter().enumerate().map(|(at, length)| format!("{at} {}", "x".repeat(*length))).collect();
            let parts: Vec<Vec<u32>> =
                parts.iter().map(|part| part.iter().map(|at| at.index(texts.len()) as u32).collect()).collect();
            let expected: String = parts.iter().flatten().map(|id| texts[*id as usize].as_str()).collect();
            let (mut parts, mut list) = (parts.into_iter(), Vec::new());
            let mut next = |ids: &mut Vec<u32>| { *ids = parts.next().unwrap_or_default(); Ok(()) };
            copy_strings(&Texts(texts), &mut next, &mut |bytes| list.extend_from_slice(bytes)).unwrap();
            prop_assert_eq!(list, expected.as_bytes());
        }
    }
}
