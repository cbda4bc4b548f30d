//! Words at a fixed distance from each other.

/// Writes `words` to every `stride`th element of `list`, beginning with the first.
#[inline(never)]
pub(crate) fn scatter(words: &[u32], list: &mut [u32], stride: usize) {
    for (row, word) in list.chunks_mut(stride).zip(words) {
        if let Some(first) = row.first_mut() {
            *first = *word;
        }
    }
}
