//! Data that was chosen to collide in hash tables takes no more work than other data, because the hashes have a secret seed.
//!
//! Each test finds values that collide under a seed that everyone knows: they take quadratic work under it, but not under another seed.

use crate::column::ColumnBuilder;
use crate::decode::Decoder;
use crate::hash::HashSeed;
use crate::packing::Packer;
use crate::testing::counting::counts_of;
use crate::value::dictionary::Dictionary;
use crate::value::number_interner::{NumberInterner, rust_number};
use crate::value::shapes::{Event, Limits, ROOT_PATH, ROOT_SHAPE, Shapes};

/// The bits of a hash that a table of up to a thousand entries looks at: the bucket, and a tag.
const SEEN: u32 = 0xFE00_03FF;

fn known() -> HashSeed {
    HashSeed::new(0.5)
}

/// Returns numbers whose hashes look the same in a table.
fn colliding(count: usize, hash: impl Fn(u32) -> u32) -> Vec<u32> {
    let sought = hash(0) & SEEN;
    let found: Vec<u32> = (0..u32::MAX).filter(|number| hash(*number) & SEEN == sought).take(count).collect();
    assert_eq!(found.len(), count);
    found
}

/// Expects that `lookups` of colliding values compare many entries under the known seed, but about one for each under another.
fn expect_a_secret(what: &str, lookups: usize, probes_of: impl Fn(HashSeed) -> usize) {
    let (known, secret) = (probes_of(known()), probes_of(HashSeed::new(0.25)));
    assert!(known > 20 * lookups, "{what}: the values do not collide, {known} entries compared in {lookups} lookups");
    assert!(secret <= 2 * lookups, "{what}: {secret} entries compared in {lookups} lookups");
}

// P17
#[test]
fn texts_that_collide_under_a_known_seed_take_no_more_work_than_others() {
    const COUNT: usize = 400;
    let text = |number: u32| format!("The waiters were {number}");
    let seed = known();
    let texts = colliding(COUNT, |number| seed.of_bytes(text(number).as_bytes()));
    let findings: Vec<_> = texts.iter().map(|number| format!(r#"{{"Text":"{}"}}"#, text(*number))).collect();
    let body = format!(r#"{{"Findings":[{}]}}"#, findings.join(","));
    expect_a_secret("texts", COUNT, |seed| {
        let mut decoder = Decoder::new(body.clone().into_bytes(), Dictionary::new(Some(rust_number), seed));
        counts_of(|| assert_eq!(decoder.advance(usize::MAX), Ok(true))).probes
    });
}

#[test]
fn keys_and_shapes_that_collide_under_a_known_seed_take_no_more_work_than_others() {
    const COUNT: usize = 400;
    let seed = known();
    let keys = colliding(COUNT, |number| seed.of_words(&[ROOT_PATH, seed.of_bytes(number.to_string().as_bytes())]));
    expect_a_secret("keys", COUNT, |seed| {
        let mut shapes = Shapes::new(seed, Limits::CHUNK);
        let intern = |number: &u32| shapes.intern_path(ROOT_PATH, &number.to_string()).unwrap().unwrap();
        counts_of(|| assert_eq!(keys.iter().map(intern).max(), Some(COUNT as u32))).probes
    });
    let paths = colliding(COUNT, |path| seed.of_words(&[ROOT_SHAPE, Event::Value(path).word()]));
    expect_a_secret("shapes", COUNT, |seed| {
        let mut shapes = Shapes::new(seed, Limits::CHUNK);
        let follow = |path: &u32| shapes.transition(ROOT_SHAPE, Event::Value(*path)).unwrap().unwrap();
        counts_of(|| assert_eq!(paths.iter().map(follow).max(), Some(COUNT as u32))).probes
    });
}

#[test]
fn numbers_that_collide_under_a_known_seed_take_no_more_work_than_others() {
    const COUNT: usize = 400;
    let number = |number: u32| f64::from(number) + 0.5;
    let seed = known();
    let numbers = colliding(COUNT, |bits| {
        let bits = number(bits).to_bits();
        seed.of_words(&[bits as u32, (bits >> 32) as u32])
    });
    expect_a_secret("numbers", COUNT, |seed| {
        let mut interner = NumberInterner::new(Some(rust_number), seed);
        let counts = counts_of(|| {
            for bits in &numbers {
                interner.intern(number(*bits)).unwrap();
            }
        });
        counts.probes
    });
}

#[test]
fn words_of_a_column_that_collide_under_a_known_seed_take_no_more_work_than_others() {
    let seed = known();
    let words = colliding(240, |word| seed.of_word(word));
    const ROWS: usize = 4_000;
    expect_a_secret("words", ROWS, |seed| {
        let mut column = ColumnBuilder::default();
        (0..ROWS).for_each(|row| column.push(row, words[row % words.len()]).unwrap());
        let mut packer = Packer::default();
        let counts = counts_of(|| column.finish(&seed, &mut packer).unwrap());
        // A byte for each word.
        assert!(packer.finish().len() < ROWS + 4 * words.len() + 20);
        counts.probes
    });
}
