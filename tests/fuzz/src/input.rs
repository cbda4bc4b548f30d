//! The input: how to decode, in three bytes, and then the bodies.
//!
//! The first byte says how many bytes a slice has (`1` is one, `0` is all of them), the second how many bodies there are, and the
//! third, one bit for each body, which of them are abandoned half way (`0` is none). Between two bodies is a record separator.

/// Between two bodies, as in a JSON text sequence. It is no JSON, but the last body can have it.
const SEPARATOR: u8 = 0x1E;
const MOST_BODIES: u8 = 8;

/// Bodies and how to decode them.
pub struct Input<'a> {
    /// How many bytes are decoded before others have a turn.
    pub slice: usize,
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
        let ([slice, count, abandoned], bodies) = bytes.split_first_chunk()?;
        let slice = match slice.wrapping_sub(b'0') {
            0 => usize::MAX,
            slice => usize::from(slice),
        };
        let count = count.wrapping_sub(b'1') % MOST_BODIES + 1;
        let abandoned = abandoned.wrapping_sub(b'0');
        let partitions = bodies
            .splitn(usize::from(count), |byte| *byte == SEPARATOR)
            .zip(0..)
            .map(|(body, bit)| Partition { body, is_abandoned: abandoned >> bit & 1 == 1 })
            .collect();
        Some(Self { slice, partitions })
    }
}
