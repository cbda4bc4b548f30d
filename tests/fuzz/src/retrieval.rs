//! All bodies as the partitions of one retrieval: none disturbs another, and one that fails leaves nothing of itself.

use std::rc::Rc;

use columns::decode::{DecodedBody, Decoder};
use columns::dictionary::Dictionary;
use columns::shared_dictionary::SharedDictionary;
use columns::table::{Arrived, Table};

use crate::body::{self, decode, findings};
use crate::input::{Bodies, Partition};
use crate::json::canonical;
use crate::reference::{Json, names_of};
use crate::{queries, saved};

/// Decodes all bodies against one dictionary, compares with each decoded alone, and asks about them.
pub fn check(input: &Bodies<'_>) {
    let columns = input.columns.as_deref();
    let mut dictionary = body::dictionary(columns);
    let mut kept = Vec::new();
    let mut size = size_of_contents(&dictionary);
    for Partition { body, is_abandoned } in &input.partitions {
        if *is_abandoned {
            drop(Decoder::new(body.to_vec()).advance(&mut dictionary, body.len() / 2));
            continue;
        }
        if let Ok(DecodedBody { errors: None, findings: Ok(chunk), .. }) = decode(body, input.slice, &mut dictionary) {
            size = size_of_contents(&dictionary);
            kept.push((body, chunk));
        } else {
            dictionary.rollback();
            assert_eq!(size_of_contents(&dictionary), size);
        }
    }
    for (body, chunk) in &kept {
        let mut alone = body::dictionary(columns);
        let expected = decode(body, usize::MAX, &mut alone).and_then(|body| body.findings).unwrap();
        assert_eq!(findings(&dictionary, chunk), findings(&alone, &expected));
    }
    if let Some(columns) = columns {
        let bodies: Vec<&[u8]> = kept.iter().map(|(body, _)| **body).collect();
        let expected: Vec<Json> = kept.iter().flat_map(|(_, chunk)| findings(&dictionary, chunk)).collect();
        check_selected(&bodies, &names_of(columns), &expected);
    }
    let chunks: Vec<_> = kept.into_iter().map(|(_, chunk)| Rc::new(chunk)).collect();
    let length: usize = chunks.iter().map(|chunk| chunk.len()).sum();
    let table = Table::new(SharedDictionary::new(dictionary, canonical), chunks).unwrap();
    assert_eq!(table.len(), length);
    queries::check(&table);
    saved::check_again(&table);
}

/// The columns that are copied of a table with all columns are those that a decoder keeps.
fn check_selected(bodies: &[&[u8]], names: &[u8], expected: &[Json]) {
    let mut dictionary = Dictionary::default();
    let mut arrived = Vec::new();
    for (before, body) in bodies.iter().enumerate() {
        let chunk = decode(body, usize::MAX, &mut dictionary).and_then(|body| body.findings).unwrap();
        arrived.push(Arrived { index: before as u64, before, chunk: Rc::new(chunk) });
    }
    // Takes any name, like a table that lacks partitions.
    let table = Table::arrived(SharedDictionary::new(dictionary, canonical), &arrived, None, false).unwrap();
    let selected = table.select(names).unwrap();
    let findings: Vec<Json> = (0..selected.len()).map(|row| Json::of(&selected.json(row).unwrap())).collect();
    assert_eq!(findings, expected);
}

/// How many strings, numbers, paths and shapes there are.
fn size_of_contents(dictionary: &Dictionary) -> [usize; 4] {
    let Dictionary { strings, numbers, shapes, .. } = dictionary;
    [strings.len(), numbers.values().len(), shapes.path_count(), shapes.shape_count()]
}
