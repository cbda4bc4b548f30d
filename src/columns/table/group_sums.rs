//! The sums of groups over chunks that are added in any order.

use crate::invariant::Certain;
use crate::memory::{OutOfMemory, reserve, resize};

/// The sum of each group. Added in index order, because float addition depends on the order.
#[derive(Default)]
pub(super) struct Sums {
    /// By index.
    chunks: Vec<ChunkSums>,
    /// By group.
    totals: Vec<f64>,
    /// Whether chunks were added out of index order.
    is_out_of_order: bool,
    /// An upper bound of the magnitude of all partial sums if all numbers are integers; otherwise infinity.
    magnitude: f64,
}

/// The sums of one chunk by group; groups without a sum are left out.
struct ChunkSums {
    index: u64,
    sums: Vec<(u32, f64)>,
}

/// Sums of integers up to this magnitude are exact, so the order does not matter.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

impl Sums {
    /// Adds the sums of the chunk with this index. There are `count` groups in all.
    pub(super) fn add(&mut self, index: u64, sums: Vec<(u32, f64)>, count: usize) -> Result<(), OutOfMemory> {
        let Sums { chunks, totals, is_out_of_order, magnitude } = self;
        resize(totals, count, 0.0)?;
        reserve(chunks, 1)?;
        for (group, sum) in &sums {
            if let Some(total) = totals.get_mut(*group as usize).certain() {
                *total += sum;
            }
            *magnitude += if sum.trunc() == *sum { sum.abs() } else { f64::INFINITY };
        }
        let position = chunks.partition_point(|chunk| chunk.index < index);
        *is_out_of_order |= position < chunks.len();
        chunks.insert(position, ChunkSums { index, sums });
        Ok(())
    }

    /// Adds all sums again, unless the totals were added in index order, or the order does not matter.
    pub(super) fn update(&mut self) {
        let Sums { chunks, totals, is_out_of_order, magnitude } = self;
        if std::mem::take(is_out_of_order) && *magnitude > MAX_EXACT {
            totals.fill(0.0);
            for (group, sum) in chunks.iter().flat_map(|chunk| &chunk.sums) {
                if let Some(total) = totals.get_mut(*group as usize).certain() {
                    *total += sum;
                }
            }
        }
    }

    /// Returns the sum of a group as of the last update.
    pub(super) fn of(&self, group: u32) -> f64 {
        self.totals.get(group as usize).copied().unwrap_or(0.0)
    }

    /// Returns the bytes of memory that the sums hold.
    pub(super) fn byte_length(&self) -> usize {
        let sums: usize = self.chunks.iter().map(|chunk| chunk.sums.capacity() * size_of::<(u32, f64)>()).sum();
        sums + self.chunks.capacity() * size_of::<ChunkSums>() + self.totals.capacity() * size_of::<f64>()
    }
}
