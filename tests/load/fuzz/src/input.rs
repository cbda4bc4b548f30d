//! The input: how to decode, in three bytes, then the bodies; or a saved table.
//!
//! The first byte says how many bytes a slice has (`1` is one, `0` is all of them), the second how many bodies there are, and the
//! third, one bit for each body, which of them are abandoned half way (`0` is none). Between two bodies is a record separator. If the
//! second byte is one of `9` to `@`, the bodies follow the columns to keep: each on a line, with tabs between its keys.
//!
//! An input that begins like a saved table is one.

/// Between two bodies, as in a JSON text sequence. It is no JSON, but the last body can have it.
const SEPARATOR: u8 = 0x1E;
const MOST_BODIES: u8 = 8;

/// The first bytes of a saved table.
const SIGNATURE: &[u8] = b"\x89IFT\r\n\x1a\n";

/// What to try.
pub enum Input<'a> {
    Bodies(Bodies<'a>),
    /// The bytes of a table.
    Saved(&'a [u8]),
}

/// Bodies and how to decode them.
pub struct Bodies<'a> {
    /// How many bytes are decoded before others have a turn.
    pub slice: usize,
    /// The columns to keep, each given by its keys; `None` for all.
    pub columns: Option<Vec<Vec<String>>>,
    pub partitions: Vec<Partition<'a>>,
}

/// A body in the order in which it arrived.
pub struct Partition<'a> {
    pub body: &'a [u8],
    pub is_abandoned: bool,
}

impl<'a> Input<'a> {
    /// Takes any bytes that are long enough.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        if bytes.starts_with(SIGNATURE) { Some(Self::Saved(bytes)) } else { Bodies::read(bytes).map(Self::Bodies) }
    }
}

impl<'a> Bodies<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let ([slice, count, abandoned], records) = bytes.split_first_chunk()?;
        let slice = match slice.wrapping_sub(b'0') {
            0 => usize::MAX,
            slice => usize::from(slice),
        };
        let count = count.wrapping_sub(b'1');
        let has_columns = count / MOST_BODIES % 2 == 1;
        let abandoned = abandoned.wrapping_sub(b'0');
        let mut records =
            records.splitn(usize::from(count % MOST_BODIES) + 1 + usize::from(has_columns), |byte| *byte == SEPARATOR);
        let columns = if has_columns { records.next().map(columns) } else { None };
        let partitions =
            records.zip(0..).map(|(body, bit)| Partition { body, is_abandoned: abandoned >> bit & 1 == 1 }).collect();
        Some(Self { slice, columns, partitions })
    }
}

fn columns(lines: &[u8]) -> Vec<Vec<String>> {
    let lines = String::from_utf8_lossy(lines);
    lines.lines().filter(|line| !line.is_empty()).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}
