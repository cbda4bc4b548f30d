//! Chunks that came from a worker, or whose bytes were changed, in tables.

use std::rc::Rc;

use chunk::hash::HashSeed;
use chunk::testing::{body, chunk, message};
use chunk::{Chunk, UnpackError};
use futures_util::FutureExt;
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::testing::all_of;
use crate::{Catalog, Table};
use chunk::invented::finding;

fn findings() -> impl Strategy<Value = Vec<Json>> {
    let texts = prop_oneof![5 => "[aé€]{0,4}", 1 => Just("long ".repeat(20_000))];
    prop::collection::vec(finding(texts), 0..40)
}

fn opened(bytes: Vec<u8>) -> Result<Chunk, UnpackError> {
    Chunk::open(bytes, &HashSeed::new(0.25), async || {}).now_or_never().unwrap()
}

fn table(chunk: Chunk) -> Table {
    let catalog = Catalog::new(HashSeed::default(), None);
    Table::new(catalog, vec![Rc::new(chunk)]).unwrap()
}

proptest! {
    #[test]
    fn the_table_of_a_chunk_that_was_sent_is_that_of_the_chunk(findings in findings(), seed in 0.0..1.0) {
        let body = body(&findings);
        let opened = opened(message(&body, HashSeed::new(seed))).unwrap();
        prop_assert_eq!(all_of(&table(opened)), all_of(&table(chunk(&body))));
    }

    #[test]
    fn changed_bytes_are_refused_or_harmless(
        findings in findings(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let whole = message(&body(&findings), HashSeed::default());
        prop_assert!(opened(whole[..cut.index(whole.len())].to_vec()).is_err());
        let mut changed = whole;
        let at = at.index(changed.len());
        changed[at] = byte;
        if let Ok(chunk) = opened(changed)
            && chunk.len() <= 100
        {
            prop_assert!(!all_of(&table(chunk)).is_empty());
        }
    }
}
