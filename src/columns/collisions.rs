//! Data that was chosen to collide in hash tables takes no more work than other data.
//!
//! Without a secret, each step of a hash can be inverted: the end of a text can be computed from its beginning and the wanted hash.

use crate::chunk::column::ColumnBuilder;
use crate::decode::Decoder;
use crate::hash::HashSeed;
use crate::packing::Packer;
use crate::value::dictionary::Dictionary;
use crate::value::number_interner::{NumberInterner, rust_number};
use crate::value::shapes::{ROOT_PATH, Shapes};
use crate::work::counts_of;

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
/// The product with the factor is 1.
const INVERSE: u64 = 0xF1DE_83E1_9937_733D;

/// The first sixteen bytes of each text.
const BEGIN: &[u8; 16] = b"The waiters were";

/// A multiplication and a shift, both of which can be inverted.
fn mix(hash: u64, word: u64) -> u64 {
    let product = (hash ^ word).wrapping_mul(FACTOR);
    product ^ product >> 32
}

/// Returns the word for which `mix(hash, word)` is `mixed`.
fn unmix(hash: u64, mixed: u64) -> u64 {
    (mixed ^ mixed >> 32).wrapping_mul(INVERSE) ^ hash
}

/// Returns the four words of a text of 24 bytes as the hash reads them: two from its begin and two from its end.
fn words(text: &[u8]) -> [u64; 4] {
    [0, 8, 8, 16].map(|start| u64::from_le_bytes(text[start..start + 8].try_into().unwrap()))
}

/// A hash of texts of 24 bytes whose start values everyone knows.
fn known_hash(text: &[u8]) -> u32 {
    let [first, second, third, fourth] = words(text);
    let lanes = [mix(24, first), mix(1, second), mix(2, third), mix(3, fourth)];
    let joined =
        (lanes[0] ^ lanes[1].rotate_left(16)).wrapping_add(lanes[2].rotate_left(32) ^ lanes[3].rotate_left(48));
    (mix(joined, 0) >> 16) as u32
}

/// Returns texts of 24 printable characters whose hashes are 0.
fn colliding_texts(count: usize) -> Vec<String> {
    let [first, second, third, _] = words(&[BEGIN.as_slice(), &[0; 8]].concat());
    let begin = mix(24, first) ^ mix(1, second).rotate_left(16);
    let ends = (0..=u32::MAX).filter_map(|free| {
        // The bits of the last product from which a hash of 0 comes. The others are free.
        let (high, low) = (u64::from(free >> 16), u64::from(free & 0xFFFF));
        let joined = (high << 48 | high << 16 | low).wrapping_mul(INVERSE);
        let lane = (joined.wrapping_sub(begin) ^ mix(2, third).rotate_left(32)).rotate_right(48);
        let end = unmix(3, lane).to_le_bytes();
        let is_printable = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
        end.iter().all(is_printable).then(|| String::from_utf8([BEGIN.as_slice(), &end].concat()).unwrap())
    });
    ends.take(count).collect()
}

/// Expects about as many comparisons for each of many values as for each of a few.
fn expect_linear(what: &str, few: usize, many: usize, probes_of: impl Fn(usize) -> usize) {
    for count in [few, many] {
        let probes = probes_of(count);
        assert!(probes <= count, "{what}: {probes} entries compared for {count} values");
    }
}

#[test]
fn texts_that_collide_under_a_known_hash_take_no_more_work_than_others() {
    let texts = colliding_texts(16_000);
    assert!(texts.iter().all(|text| known_hash(text.as_bytes()) == 0));
    expect_linear("texts", 1000, texts.len(), |count| {
        let findings: Vec<_> = texts[..count].iter().map(|text| format!(r#"{{"Text":"{text}"}}"#)).collect();
        let body = format!(r#"{{"Findings":[{}]}}"#, findings.join(","));
        let mut decoder = Decoder::new(body.into_bytes(), Dictionary::default());
        let counts = counts_of(|| assert_eq!(decoder.advance(usize::MAX), Ok(true)));
        assert_eq!(decoder.finish().findings.unwrap().strings().len(), count);
        counts.probes
    });
}

#[test]
fn keys_that_collide_under_a_known_hash_take_no_more_work_than_others() {
    let keys = colliding_texts(4000);
    expect_linear("keys", 500, keys.len(), |count| {
        let mut shapes = Shapes::default();
        let counts = counts_of(|| {
            for key in &keys[..count] {
                shapes.intern_path(ROOT_PATH, key).unwrap().unwrap();
            }
        });
        counts.probes
    });
}

#[test]
fn numbers_that_collide_under_a_known_hash_take_no_more_work_than_others() {
    expect_linear("numbers", 1000, 16_000, |count| {
        let numbers = (0..u64::MAX).map(|low| f64::from_bits((7 << 32 | low).wrapping_mul(INVERSE)));
        let mut interner = NumberInterner::new(Some(rust_number), HashSeed::default());
        let counts = counts_of(|| {
            for number in numbers.filter(|number| number.is_finite()).take(count) {
                assert_eq!((number.to_bits().wrapping_mul(FACTOR) >> 32) as u32, 7);
                interner.intern(number).unwrap();
            }
        });
        let mut packer = Packer::default();
        interner.pack(&mut packer).unwrap();
        assert_eq!(packer.finish().len(), 4 + 8 * count);
        counts.probes
    });
}

#[test]
fn words_of_a_column_that_collide_under_a_known_hash_take_no_more_work_than_others() {
    let (factor, inverse) = (0x9E37_79B9_u32, 0x144C_BC89_u32);
    let words: Vec<u32> = (0..240_u32).map(|low| (7 << 23 | low).wrapping_mul(inverse)).collect();
    assert!(words.iter().all(|word| word.wrapping_mul(factor) >> 23 == 7));
    expect_linear("words", 2000, 16_000, |count| {
        let mut column = ColumnBuilder::default();
        for row in 0..count {
            column.push(row, words[row % words.len()]).unwrap();
        }
        // Where it looks for a word, the table has at least one.
        let mut packer = Packer::default();
        let counts = counts_of(|| column.finish(&HashSeed::default(), &mut packer).unwrap());
        // A byte for each word.
        assert!(packer.finish().len() < count + 4 * words.len() + 20);
        counts.probes / 4
    });
}
