//! Chunks of foreign bytes: everything that an access relies on is checked.

use crate::chunk::Chunk;
use crate::hash::HashSeed;
use crate::json::raw_json;
use crate::packing::{UnpackError, check};
use crate::value::cell::{Cell, Content};
use crate::value::shapes::{Event, Limits, PathId, ROOT_PATH, Shapes, UNSHAPED};
use crate::value::strings::StringKind;

/// The number of strings, or of cells, that are checked at once.
const TOGETHER: usize = 4096;

impl Chunk {
    /// Opens a chunk that a worker has built, or that was saved. Checks everything that an access relies on, so that forged bytes are an
    /// error, too. Calls `pause` between parts of the work.
    ///
    /// # Errors
    /// Out of memory, or the bytes are no chunk.
    pub async fn open(bytes: Vec<u8>, seed: &HashSeed, pause: impl AsyncFn()) -> Result<Self, UnpackError> {
        let chunk = Self::places(bytes)?;
        chunk.structure().add_to(&mut Shapes::new(seed.clone(), Limits::TABLE))?;
        let paths = chunk.structure().path_count();
        check(chunk.columns.len() <= paths)?;
        check(chunk.value_paths().all(|path| path != ROOT_PATH && (path as usize) < paths))?;
        check(chunk.numbers().iter().all(|number| !f64::from_le_bytes(*number).is_nan()))?;
        chunk.check_shapes()?;
        for path in 0..chunk.columns.len() as PathId {
            chunk.check_column(path)?;
            if chunk.len() > TOGETHER {
                pause().await;
            }
        }
        let strings = chunk.strings();
        strings.check_end()?;
        for start in (0..strings.len()).step_by(TOGETHER) {
            if start > 0 {
                pause().await;
            }
            strings.check(start..strings.len().min(start + TOGETHER), raw_json::is_valid)?;
        }
        Ok(chunk)
    }

    fn check_shapes(&self) -> Result<(), UnpackError> {
        let (shapes, structure) = (self.shapes(), self.structure());
        check(shapes.rows() == self.len())?;
        shapes.check(self.len())?;
        let mut words = shapes.stored_words()?;
        words.dedup();
        check(words.into_iter().all(|shape| match structure.shape(shape) {
            _ if shape == UNSHAPED => self.has_unshaped(),
            Some((_, last)) => last == Event::Close(ROOT_PATH),
            None => false,
        }))
    }

    fn check_column(&self, path: PathId) -> Result<(), UnpackError> {
        let column = self.column(path);
        column.check(self.len())?;
        let (strings, numbers) = (self.strings(), self.numbers().len());
        check(column.stored_words()?.into_iter().all(|word| match Cell::from_word(word).content() {
            // The finding itself has no other values than raw JSON of an object.
            Content::RawJson(id) if path == ROOT_PATH => {
                strings.get(id).is_some_and(|(kind, json)| kind == StringKind::RawJson && json.starts_with(b"{"))
            }
            // Words that are no cell have this content, too.
            Content::Missing => word == Cell::MISSING.word(),
            _ if path == ROOT_PATH => false,
            Content::Text(id) => strings.kind(id).is_some_and(|kind| kind != StringKind::RawJson),
            Content::RawJson(id) => strings.kind(id) == Some(StringKind::RawJson),
            Content::Number(id) => (id as usize) < numbers,
            _ => true,
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use futures_util::FutureExt;
    use proptest::prelude::*;
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::invented::finding;
    use crate::rows::json;
    use crate::testing::counting::counts_of;
    use crate::testing::{body, chunk, decoded, message};
    use crate::value::dictionary::Dictionary;

    fn findings() -> impl Strategy<Value = Vec<Json>> {
        let texts = prop_oneof![5 => "[aé€]{0,4}", 1 => Just("long ".repeat(20_000))];
        prop::collection::vec(finding(texts), 0..40)
    }

    fn opened(bytes: Vec<u8>) -> Result<Chunk, UnpackError> {
        Chunk::open(bytes, &HashSeed::new(0.25), async || {}).now_or_never().unwrap()
    }

    fn rows(chunk: &Chunk) -> Vec<String> {
        (0..chunk.len()).map(|row| json::finding(chunk, row)).collect()
    }

    proptest! {
        #[test]
        fn a_chunk_is_the_same_after_it_was_sent(findings in findings(), seeds in prop::array::uniform2(0.0..1.0)) {
            let body = body(&findings);
            let [first, second] = seeds.map(HashSeed::new);
            let sent = message(&body, first);
            // It does not depend on the seed of its worker.
            prop_assert_eq!(&sent, &message(&body, second));
            let opened = opened(sent).unwrap();
            prop_assert_eq!(rows(&opened), rows(&chunk(&body)));
        }
    }

    #[test]
    fn taking_a_chunk_does_nothing_for_each_string() {
        let work = |count: usize| {
            let finding = |number: usize| json!({ "Comment": format!("{number} is the number"), "n": number });
            let sent = message(&body(&(0..count).map(finding).collect::<Vec<_>>()), HashSeed::default());
            counts_of(|| assert_eq!(opened(sent).unwrap().len(), count))
        };
        assert_eq!(work(100), work(10_000));
    }

    #[test]
    fn forged_raw_json_is_refused() {
        let sent = message(r#"{"Findings":[{"a":["é1"],"b":"\ud800"},{"c":1,"c":2}]}"#, HashSeed::default());
        for (json, forged) in [
            (r#"["é1"]"#, r#"["é1","#),
            (r#"["é1"]"#, r#" "é1" "#),
            (r#""\ud800""#, r#""\ud80g""#),
            (r#""\ud800""#, "\0\0\0\0\0\0\0\0"),
            (r#"{"c":1,"c":2}"#, r#"{"c":1,"c":2 "#),
            (r#"{"c":1,"c":2}"#, r#"["c",1,"c",2]"#),
        ] {
            let mut changed = sent.clone();
            let at = changed.windows(json.len()).position(|window| window == json.as_bytes()).unwrap();
            changed[at..][..forged.len()].copy_from_slice(forged.as_bytes());
            assert_eq!(opened(changed).err(), Some(UnpackError::Malformed), "{forged}");
        }
        assert!(opened(sent).is_ok());
    }

    #[test]
    fn a_chunk_has_no_byte_of_what_its_findings_do_not_keep() {
        let length = |count: usize, columns: Option<&[u8]>| {
            let mut dictionary = Dictionary::new(None, HashSeed::default());
            dictionary.columns = columns.map(|names| Rc::new(names.to_vec()));
            let finding = |number: usize| json!({ "Comment": format!("{number} ").repeat(20), "Topic": { "Text": "price" }, "More": number });
            decoded(&body(&(0..count).map(finding).collect::<Vec<_>>()), dictionary).bytes().len()
        };
        for columns in [b"".as_slice(), b"Topic.Text\xFF"] {
            assert!(length(1, Some(columns)) < 200, "{}", length(1, Some(columns)));
            assert_eq!(length(100, Some(columns)), length(3_000, Some(columns)));
        }
        assert!(length(3_000, None) > 3_000 * 40);
    }
}
