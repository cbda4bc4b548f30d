//! All bodies as the partitions of one retrieval: none disturbs another, and one that fails leaves nothing.

use std::rc::Rc;

use chunk::Chunk;
use chunk::decode::{DecodedBody, Decoder};
use chunk::hash::HashSeed;
use chunk::value::dictionary::Dictionary;
use chunk::value::number_interner::rust_number;
use table::{Arrived, Catalog, Table};

use crate::body::{self, decode, findings};
use crate::input::{Bodies, Partition};
use crate::json::canonical;
use crate::reference::{Json, names_of};
use crate::saved;

/// Decodes all bodies, takes each chunk as if a worker had sent it, and asks about them: also between the arrivals.
pub fn check(input: &Bodies<'_>) {
    let columns = input.columns.as_deref();
    let catalog = Rc::new(Catalog::new(canonical, HashSeed::new(0.25), columns.map(names_of)));
    let (mut kept, mut arrived) = (Vec::new(), Vec::new());
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
            kept.push((*body, expected));
            let before = arrived.len();
            arrived.push(Arrived { index: before as u64, member: catalog.add(chunk).unwrap() });
            saved::ask(&Table::arrived(Rc::clone(&catalog), &arrived, None, true).unwrap());
        }
    }
    if let Some(columns) = columns {
        let bodies: Vec<&[u8]> = kept.iter().map(|(body, _)| *body).collect();
        let expected: Vec<Json> = kept.iter().flat_map(|(_, findings)| findings.iter().cloned()).collect();
        check_selected(&bodies, &names_of(columns), &expected);
    }
    let table = Table::arrived(catalog, &arrived, None, true).unwrap();
    assert_eq!(table.len(), kept.iter().map(|(_, findings)| findings.len()).sum::<usize>());
    saved::check_again(&table);
}

/// The chunk after another thread has sent its bytes.
fn sent(chunk: &Chunk) -> Chunk {
    saved::complete(Chunk::open(chunk.bytes().to_vec(), &HashSeed::new(0.75), rust_number, async || {})).unwrap()
}

/// The columns that are copied of a table with all columns are those that a decoder keeps.
fn check_selected(bodies: &[&[u8]], names: &[u8], expected: &[Json]) {
    let catalog = Rc::new(Catalog::new(canonical, HashSeed::new(0.25), None));
    let mut arrived = Vec::new();
    for (before, body) in bodies.iter().enumerate() {
        let chunk = decode(body, usize::MAX, Dictionary::default()).and_then(|body| body.findings).unwrap();
        arrived.push(Arrived { index: before as u64, member: catalog.add(Rc::new(chunk)).unwrap() });
    }
    // Takes any name, like a table that lacks partitions.
    let table = Table::arrived(catalog, &arrived, None, false).unwrap();
    let selected = table.select(names).unwrap();
    let findings: Vec<Json> = (0..selected.len()).map(|row| Json::of(&selected.json(row).unwrap())).collect();
    assert_eq!(findings, expected);
}
