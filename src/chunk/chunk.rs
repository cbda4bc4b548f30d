//! A chunk: the findings of one partition, in columns, and all that the columns refer to.
//!
//! A chunk never changes, and lies in one buffer, the same in memory, in a message and in a saved table. In the buffer are, one after the
//! other: the number of findings; whether it has rows of a view, and a finding without a shape; the paths of the values, in the
//! order of first occurrence; the shape of each finding, as a column; the columns by path, each after its encoding; the strings; the numbers; the paths and shapes.
//!
//! Equal cells of a chunk are equal values. Equal values may have several cells: long strings that rarely repeat, `-0` and `0`, and raw JSON
//! that spells one value in different ways.

use std::mem;

use crate::column::{Column, ColumnBuilder};
use crate::hash::HashSeed;
use crate::invariant::Certain;
use crate::json::raw_json;
use crate::memory::{OutOfMemory, filled, push, with_capacity};
use crate::packing::{Packer, Unpacker, check, word_of};
pub use crate::packing::{UnpackError, of_chunk};
use crate::value::Value;
use crate::value::cell::{Cell, Content};
use crate::value::dictionary::Dictionary;
use crate::value::shapes::{Event, Limits, PathId, ROOT_PATH, ShapeId, Shapes, UNSHAPED};
use crate::value::strings::{StringKind, Strings};
use crate::value::structure::Structure;

/// The findings of one partition.
pub struct Chunk {
    bytes: Vec<u8>,
    length: usize,
    /// Whether it has the rows of a view.
    is_view: bool,
    /// Whether a finding, of the chunk or of the table of its view, has no shape, so that its fields have no columns.
    has_unshaped: bool,
    /// Where the shape of each finding, the strings, the numbers, and the paths and shapes begin.
    shapes: usize,
    strings: usize,
    numbers: usize,
    structure: usize,
    /// Where each column begins, by path. There may be no column for a path that no finding of this partition has.
    columns: Vec<usize>,
}

/// Where the paths of the values begin.
const VALUE_PATHS: usize = 12;

/// Builds a chunk row by row.
#[derive(Default)]
pub struct ChunkBuilder {
    length: usize,
    shapes: ColumnBuilder,
    columns: Vec<ColumnBuilder>,
    /// The encoded columns, behind room for the beginning of the chunk.
    encoded: Packer,
    encoded_columns: usize,
}

/// What a chunk says of all its findings.
#[derive(Default)]
pub struct About {
    /// The paths of the values, in the order of first occurrence; `None` for those of its own findings.
    pub value_paths: Option<Vec<PathId>>,
    /// Whether it has the rows of a view. The value paths are then those of the table, which its rows may lack.
    pub is_view: bool,
    /// Whether another finding of that table has no shape.
    pub lacks_columns: bool,
}

/// The number of strings, or of cells, that are checked at once.
const TOGETHER: usize = 4096;

impl ChunkBuilder {
    /// Appends a finding with this shape and these values.
    #[inline]
    pub fn push(&mut self, shape: ShapeId, values: &[(PathId, Cell)]) -> Result<(), OutOfMemory> {
        let row = self.length;
        for (path, cell) in values {
            self.push_cell(row, *path, *cell)?;
        }
        self.push_shape(shape)
    }

    /// Sets a value of a row. The rows of a path must ascend.
    #[inline]
    pub fn push_cell(&mut self, row: usize, path: PathId, cell: Cell) -> Result<(), OutOfMemory> {
        let path = path as usize;
        if path >= self.columns.len() {
            self.add_columns(path + 1)?;
        }
        self.columns.get_mut(path).certain().push(row, cell.word())
    }

    /// Appends a finding with this shape, whose values are [set](Self::push_cell) before or afterwards.
    #[inline]
    pub fn push_shape(&mut self, shape: ShapeId) -> Result<(), OutOfMemory> {
        self.shapes.push(self.length, shape)?;
        self.length += 1;
        Ok(())
    }

    /// Returns the number of findings so far.
    pub fn rows(&self) -> usize {
        self.length
    }

    /// Encodes one more column. Returns true once all are encoded.
    pub(crate) fn encode_one(&mut self, seed: &HashSeed) -> Result<bool, OutOfMemory> {
        let Some(column) = self.columns.get_mut(self.encoded_columns) else {
            return Ok(true);
        };
        self.encoded_columns += 1;
        mem::take(column).finish(seed, &mut self.encoded)?;
        Ok(false)
    }

    /// Returns the chunk, whose cells refer to a dictionary.
    pub fn finish(mut self, dictionary: &Dictionary, about: About) -> Result<Chunk, OutOfMemory> {
        while !self.encode_one(&dictionary.seed)? {}
        let columns = mem::take(&mut self.encoded).finish();
        let mut packer = Packer::default();
        packer.reserve(columns.len() + self.length + (1 << 10))?;
        packer.word(u32::try_from(self.length).ok().certain())?;
        // Each finding has a shape, so that the column is not sparse.
        let (own_paths, has_unshaped) = occurring(self.shapes.words(), &dictionary.shapes)?;
        packer.word(about.is_view.into())?;
        packer.word((has_unshaped || about.lacks_columns).into())?;
        packer.words(about.value_paths.as_ref().unwrap_or(&own_paths))?;
        self.shapes.finish(&dictionary.seed, &mut packer)?;
        packer.word(self.encoded_columns as u32)?;
        packer.append(&columns)?;
        dictionary.strings.pack(&mut packer)?;
        dictionary.numbers.pack(&mut packer)?;
        dictionary.shapes.pack(&mut packer)?;
        of_chunk(Chunk::places(packer.finish()))
    }

    #[cold]
    fn add_columns(&mut self, count: usize) -> Result<(), OutOfMemory> {
        while self.columns.len() < count {
            push(&mut self.columns, ColumnBuilder::default())?;
        }
        Ok(())
    }
}

/// Returns the paths of the values of findings of these shapes, in the order of first occurrence, and whether a finding has no shape.
fn occurring(of_rows: &[ShapeId], shapes: &Shapes) -> Result<(Vec<PathId>, bool), OutOfMemory> {
    let mut has_shape = filled(shapes.shape_count(), false)?;
    let mut has_path = filled(shapes.path_count(), false)?;
    let (mut paths, mut has_unshaped) = (Vec::new(), false);
    for shape in of_rows.chunk_by(|shape, next| shape == next).filter_map(|same| same.first()) {
        has_unshaped |= *shape == UNSHAPED;
        let Some(has_shape @ false) = has_shape.get_mut(*shape as usize) else { continue };
        *has_shape = true;
        for event in shapes.events(*shape)? {
            if let Event::Value(path) = event
                && let Some(has_path @ false) = has_path.get_mut(path as usize)
            {
                *has_path = true;
                push(&mut paths, path)?;
            }
        }
    }
    Ok((paths, has_unshaped))
}

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
            if chunk.length > TOGETHER {
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

    /// Finds the parts of a chunk.
    fn places(bytes: Vec<u8>) -> Result<Self, UnpackError> {
        let mut unpacker = Unpacker::new(&bytes, 0);
        let length = unpacker.word()? as usize;
        let (is_view, has_unshaped) = (unpacker.word()? != 0, unpacker.word()? != 0);
        unpacker.list::<4>()?;
        let at = |unpacker: &Unpacker<'_>| bytes.len() - unpacker.left();
        let shapes = at(&unpacker);
        Column::unpack(&mut unpacker)?;
        let count = unpacker.word()? as usize;
        // A column takes some bytes, so a wrong number allocates no more than the bytes take.
        check(count <= bytes.len())?;
        let mut columns = with_capacity(count.min(bytes.len() / size_of::<usize>() + 1))?;
        for _ in 0..count {
            push(&mut columns, at(&unpacker))?;
            Column::unpack(&mut unpacker)?;
        }
        let strings = at(&unpacker);
        Strings::unpack(&mut unpacker)?;
        let numbers = at(&unpacker);
        unpacker.list::<8>()?;
        let structure = at(&unpacker);
        Structure::unpack(&mut unpacker)?;
        unpacker.check_end()?;
        Ok(Chunk { length, is_view, has_unshaped, shapes, strings, numbers, structure, columns, bytes })
    }

    fn check_shapes(&self) -> Result<(), UnpackError> {
        let (shapes, structure) = (self.shapes(), self.structure());
        check(shapes.rows() == self.length)?;
        shapes.check(self.length)?;
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
        column.check(self.length)?;
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

    /// Returns the bytes of the chunk.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the number of findings.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns true if there are no findings.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns true if a finding has no shape, so that its fields have no columns.
    pub fn has_unshaped(&self) -> bool {
        self.has_unshaped
    }

    /// Returns true if a number, or a number in raw JSON, is an integer that is not safe.
    pub fn has_unsafe_integer(&self) -> bool {
        let strings = self.strings();
        self.numbers().iter().any(|number| raw_json::is_unsafe_integer(f64::from_le_bytes(*number)))
            || (0..strings.len() as u32)
                .filter(|id| strings.kind(*id) == Some(StringKind::RawJson))
                .any(|id| strings.get(id).is_some_and(|(_, json)| raw_json::has_unsafe_integer(json)))
    }

    /// Returns true if the chunk has rows of a view.
    pub fn is_view(&self) -> bool {
        self.is_view
    }

    /// Returns the paths of the values, in the order of first occurrence.
    pub fn value_paths(&self) -> impl ExactSizeIterator<Item = PathId> {
        self.part(VALUE_PATHS, Unpacker::list::<4>).iter().map(word_of)
    }

    /// Returns the shape of each finding.
    pub fn shapes(&self) -> Column<'_> {
        self.part(self.shapes, Column::unpack)
    }

    /// Returns the column of a path, an empty one if the chunk has none.
    #[inline]
    pub fn column(&self, path: PathId) -> Column<'_> {
        self.columns.get(path as usize).map_or(Column::EMPTY, |at| self.part(*at, Column::unpack))
    }

    /// Returns the strings and the raw JSON.
    #[inline]
    pub fn strings(&self) -> Strings<'_> {
        self.part(self.strings, Strings::unpack)
    }

    /// Returns the numbers that do not fit into a cell.
    #[inline]
    pub fn numbers(&self) -> &[[u8; 8]] {
        self.part(self.numbers, Unpacker::list::<8>)
    }

    /// Returns a number that does not fit into a cell; `None` for an unknown id.
    #[inline]
    pub fn number(&self, id: u32) -> Option<f64> {
        self.numbers().get(id as usize).map(|number| f64::from_le_bytes(*number))
    }

    /// Returns the paths and shapes.
    pub fn structure(&self) -> Structure<'_> {
        self.part(self.structure, Structure::unpack)
    }

    /// Reads a part that begins at an offset.
    #[inline]
    fn part<'chunk, T>(
        &'chunk self,
        at: usize,
        unpack: impl FnOnce(&mut Unpacker<'chunk>) -> Result<T, UnpackError>,
    ) -> T {
        unpack(&mut Unpacker::new(&self.bytes, at)).ok().certain()
    }

    /// Returns the bytes of memory that the chunk holds.
    pub fn byte_length(&self) -> usize {
        self.bytes.capacity() + self.columns.capacity() * size_of::<usize>() + size_of::<Self>()
    }
}

/// Returns the value of a cell, whose number or text these return by id.
#[inline]
pub fn value_of<'a>(cell: Cell, number: impl FnOnce(u32) -> f64, text: impl FnOnce(u32) -> &'a str) -> Value<'a> {
    match cell.content() {
        Content::Integer(value) => Value::Number(f64::from(value)),
        Content::Number(id) => Value::Number(number(id)),
        Content::Text(id) => Value::Text(text(id)),
        Content::RawJson(id) => Value::Json(text(id)),
        Content::Null => Value::Null,
        Content::Boolean(value) => Value::Boolean(value),
        Content::Object => Value::Object,
        Content::Missing => Value::Missing,
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use proptest::prelude::*;
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::invented::finding;
    use crate::rows::json;
    use crate::testing::counting::counts_of;
    use crate::testing::{body, chunk, decoded, message};

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
            dictionary.keep_only(columns).unwrap();
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
