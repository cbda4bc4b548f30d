//! All bodies as the partitions of one retrieval: none disturbs another, and one that fails leaves nothing of itself.

use std::rc::Rc;

use columns::decode::Decoder;
use columns::dictionary::Dictionary;
use columns::shared_dictionary::SharedDictionary;
use columns::table::Table;

use crate::body::{decode, findings};
use crate::input::{Input, Partition};
use crate::json::canonical;
use crate::queries;

/// Decodes all bodies against one dictionary, compares with each decoded alone, and asks about them.
pub fn check(input: &Input<'_>) {
    let mut dictionary = Dictionary::default();
    let mut kept = Vec::new();
    let mut size = size_of_contents(&dictionary);
    for Partition { body, is_abandoned } in &input.partitions {
        if *is_abandoned {
            drop(Decoder::new(body.to_vec()).advance(&mut dictionary, body.len() / 2));
            continue;
        }
        match decode(body, input.slice, &mut dictionary).and_then(|body| body.findings) {
            Ok(chunk) => {
                size = size_of_contents(&dictionary);
                kept.push((body, chunk));
            }
            Err(_) => assert_eq!(size_of_contents(&dictionary), size),
        }
    }
    for (body, chunk) in &kept {
        let mut alone = Dictionary::default();
        let expected = decode(body, usize::MAX, &mut alone).and_then(|body| body.findings).unwrap();
        assert_eq!(findings(&dictionary, chunk), findings(&alone, &expected));
    }
    let chunks: Vec<_> = kept.into_iter().map(|(_, chunk)| Rc::new(chunk)).collect();
    let length: usize = chunks.iter().map(|chunk| chunk.len()).sum();
    let table = Table::new(SharedDictionary::new(dictionary, canonical), chunks).unwrap();
    assert_eq!(table.len(), length);
    queries::check(&table);
}

/// How many strings, numbers, paths and shapes there are.
fn size_of_contents(dictionary: &Dictionary) -> [usize; 4] {
    let Dictionary { strings, numbers, shapes, .. } = dictionary;
    [strings.len(), numbers.values().len(), shapes.path_count(), shapes.shape_count()]
}
