//! Chunks for tests, and the work that they take.

use std::fmt::Display;

use crate::chunk::Chunk;
use crate::decode::Decoder;
use crate::hash::HashSeed;
use crate::value::dictionary::Dictionary;
use crate::value::number_interner::rust_number;

/// Decodes a body.
#[allow(clippy::unwrap_used)]
pub fn decoded(body: &str, dictionary: Dictionary) -> Chunk {
    let mut decoder = Decoder::new(body.as_bytes().to_vec(), dictionary);
    while !decoder.advance(usize::MAX).unwrap() {}
    decoder.finish().findings.unwrap()
}

/// Decodes a body in a worker, whose dictionary has a separate seed.
pub fn message(body: &str, seed: HashSeed) -> Vec<u8> {
    decoded(body, Dictionary::new(Some(rust_number), seed)).bytes().to_vec()
}

/// Decodes a body with a fixed seed.
pub fn chunk(body: &str) -> Chunk {
    decoded(body, Dictionary::default())
}

/// The body of a partition with these findings.
pub fn body(findings: &[impl Display]) -> String {
    let findings: Vec<_> = findings.iter().map(ToString::to_string).collect();
    format!(r#"{{"Findings":[{}]}}"#, findings.join(","))
}

/// Counts work.
pub mod counting {
    use std::cell::Cell;

    use crate::work::Work;

    thread_local! {
        static COUNTS: Cell<Counts> = const { Cell::new(Counts { cells: 0, lookups: 0, probes: 0, strings: 0 }) };
    }

    /// How often each unit of work was done.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Counts {
        /// Cells that were read.
        pub cells: usize,
        /// Searches.
        pub lookups: usize,
        /// Entries that searches compared.
        pub probes: usize,
        /// Strings that were read.
        pub strings: usize,
    }

    /// Adds to the work of this thread.
    pub fn add(work: Work, amount: usize) {
        let mut counts = COUNTS.get();
        *match work {
            Work::Cell => &mut counts.cells,
            Work::Lookup => &mut counts.lookups,
            Work::Probe => &mut counts.probes,
            Work::String => &mut counts.strings,
        } += amount;
        COUNTS.set(counts);
    }

    /// Counts the work of a function.
    pub fn counts_of<R>(run: impl FnOnce() -> R) -> Counts {
        let before = COUNTS.get();
        run();
        let after = COUNTS.get();
        Counts {
            cells: after.cells - before.cells,
            lookups: after.lookups - before.lookups,
            probes: after.probes - before.probes,
            strings: after.strings - before.strings,
        }
    }
}
