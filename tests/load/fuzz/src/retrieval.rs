//! All bodies as the partitions of one retrieval: none disturbs another, and one that fails leaves nothing.

use std::rc::Rc;

use chunk::Chunk;
use chunk::decode::{DecodedBody, Decoder};
use chunk::hash::HashSeed;
use table::{Arrived, Catalog, Table};

use crate::body::{self, decode, findings};
use crate::input::{Bodies, Partition};
use crate::reference::names_of;
use crate::saved;

/// Decodes all bodies, takes each chunk as if a worker had sent it, and asks about them: also between the arrivals.
pub fn check(input: &Bodies<'_>) {
    let columns = input.columns.as_deref();
    let catalog = Rc::new(Catalog::new(HashSeed::new(0.25), columns.map(|columns| Rc::new(names_of(columns)))));
    let (mut length, mut arrived) = (0, Vec::new());
    for Partition { body, is_abandoned } in &input.partitions {
        if *is_abandoned {
            drop(Decoder::new(body.to_vec(), body::dictionary(columns)).advance(body.len() / 2));
            continue;
        }
        let decoded = decode(body, input.slice, body::dictionary(columns));
        if let Ok(DecodedBody { errors: None, findings: Ok(chunk), .. }) = decoded {
            let expected = findings(&chunk);
            let chunk = Rc::new(sent(&chunk));
            assert_eq!(findings(&chunk), expected);
            length += expected.len();
            let before = arrived.len();
            arrived.push(Arrived { index: before as u64, member: catalog.add(chunk).unwrap() });
            saved::ask(&Table::arrived(Rc::clone(&catalog), &arrived, None, true).unwrap());
        }
    }
    let table = Table::arrived(catalog, &arrived, None, true).unwrap();
    assert_eq!(table.len(), length);
    saved::ask(&table.filter::<&str>(1, &[]).unwrap());
}

/// The chunk after another thread has sent its bytes.
fn sent(chunk: &Chunk) -> Chunk {
    saved::complete(Chunk::open(chunk.bytes().to_vec(), &HashSeed::new(0.75), async || {})).unwrap()
}
