//! Rows of a table as bytes, in the form of [packed rows](chunk::rows::packed_rows), with all that they refer to but their shapes.

use std::ops::Range;
use std::rc::Rc;

use super::Table;
use super::local_ids::LocalIds;
use super::member::{Member, MemberRows};
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, extend, push, with_capacity};
use chunk::packing::Packer;
use chunk::rows::packed_head::PackedHead;
use chunk::rows::row_buffer::RowBuffer;
use chunk::rows::string_pieces::divide;
use chunk::value::cell::{Cell, Content};
use chunk::value::column_name::END_OF_NAME;
use chunk::value::shapes::{Event, ShapeId};

/// The number of bytes of the strings that are packed together, unless these are of one row.
const MOST_BYTES: usize = 1 << 18;

/// The maximum number of bytes of a piece of strings, unless it has one string only. A page may keep few of the rows.
const PIECE: u32 = 1 << 11;

impl Table {
    /// Replaces the contents of `buffer` by these rows.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn write_rows(&self, buffer: &mut RowBuffer, rows: Range<usize>) -> Result<(), OutOfMemory> {
        let contents = self.contents();
        let rows_of = |member| MemberRows { member, shapes: contents.shapes() };
        buffer.clear();
        if !self.scope.is_selection() {
            let mut parts = self.scope.members_of(rows);
            return parts.try_for_each(|(member, rows)| buffer.append(&rows_of(member), rows));
        }
        let (mut of, mut some): (Option<&Rc<Member>>, _) = (None, Vec::new());
        for (member, row) in rows.map_while(|row| self.scope.locate(row)) {
            if let Some(last) = of.filter(|last| !Rc::ptr_eq(last, member)) {
                buffer.append_rows(&rows_of(last), &some)?;
                some.clear();
            }
            push(&mut some, row as u32)?;
            of = Some(member);
        }
        of.map_or(Ok(()), |last| buffer.append_rows(&rows_of(last), &some))
    }

    /// Packs rows: the first of `rows`, at least one, as long as their strings are not too long together. The ids of strings and numbers count
    /// those of these rows alone. The lists of shapes and names are empty: see [`packed_shape`](Self::packed_shape).
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn packed_rows(&self, buffer: &mut RowBuffer, rows: Range<usize>) -> Result<Vec<u8>, OutOfMemory> {
        let Range { start, mut end } = rows;
        loop {
            self.write_rows(buffer, start..end)?;
            if let Some(packed) = self.packed(buffer.words_mut(), end - start <= 1)? {
                return Ok(packed);
            }
            end = start + (end - start) / 2;
        }
    }

    /// Packs cells like [rows](Self::packed_rows): the first of `words`, at least one. `None` if one refers to nothing.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn packed_cells(&self, words: &[u32]) -> Result<Option<Vec<u8>>, OutOfMemory> {
        let contents = self.contents();
        let strings = contents.strings();
        let is_known = |word: &u32| match Cell::from_word(*word).content() {
            Content::Text(id) | Content::RawJson(id) => strings.get(id).is_some(),
            Content::Number(id) => contents.number_of(id).is_some(),
            _ => true,
        };
        if !words.iter().all(is_known) {
            return Ok(None);
        }
        let mut end = words.len();
        loop {
            let mut some = Vec::new();
            extend(&mut some, words.get(..end).certain())?;
            if let Some(packed) = self.packed(&mut some, end <= 1)? {
                return Ok(Some(packed));
            }
            end /= 2;
        }
    }

    /// Packs a shape: the words of its events, in which each key has its own number, and the keys, each followed by the byte `0xFF`. `None` for
    /// an unknown shape.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn packed_shape(&self, shape: ShapeId) -> Result<Option<Vec<u8>>, OutOfMemory> {
        let contents = self.contents();
        let shapes = contents.shapes();
        if shape as usize >= shapes.shape_count() {
            return Ok(None);
        }
        let events = shapes.events(shape)?;
        let (mut words, mut names, mut keys) = (with_capacity(events.len())?, Vec::new(), 0);
        for event in events {
            words.push(event.at(keys).word());
            if !matches!(event, Event::Close(_)) {
                keys += 1;
                extend(&mut names, shapes.name(event.path()).certain().as_bytes())?;
                push(&mut names, END_OF_NAME)?;
            }
        }
        let mut packer = Packer::default();
        packer.words(&words)?;
        packer.bytes(&names)?;
        Ok(Some(packer.finish()))
    }

    /// Packs rows with these words; `None` if their strings are too long, unless they are packed `anyway`.
    fn packed(&self, words: &mut [u32], anyway: bool) -> Result<Option<Vec<u8>>, OutOfMemory> {
        let contents = self.contents();
        let (source, mut strings, mut length) = (contents.strings(), with_capacity(words.len())?, 0);
        let mut values = Vec::new();
        let (mut ids, mut numbers) = (LocalIds::new(words.len())?, LocalIds::new(words.len())?);
        for word in &mut *words {
            let cell = Cell::from_word(*word);
            let local = match cell.content() {
                Content::Text(id) | Content::RawJson(id) => {
                    let (local, is_new) = ids.of(id, id);
                    if is_new {
                        let (kind, string) = source.get(id).certain();
                        strings.push((local, kind, string));
                        length += string.len();
                    }
                    if cell == Cell::text(id) { Cell::text(local) } else { Cell::raw_json(local) }
                }
                Content::Number(id) => {
                    let (local, is_new) = numbers.of(id, id);
                    if is_new {
                        push(&mut values, contents.number_of(id).certain().to_le_bytes())?;
                    }
                    Cell::number(local)
                }
                _ => continue,
            };
            *word = local.word();
        }
        if length > MOST_BYTES && !anyway {
            return Ok(None);
        }
        let (mut described, mut in_pieces) = (Vec::new(), with_capacity(strings.len())?);
        divide(&strings, PIECE, &mut described, &mut |string| in_pieces.push(string))?;
        let mut packer = Packer::default();
        // JavaScript asks for each shape that it does not know yet.
        let (shapes, names) = (&[], &[]);
        PackedHead { rows: words, shapes, strings: &described, numbers: &values, names }.pack(length, &mut packer)?;
        in_pieces.into_iter().try_for_each(|string| packer.append(string))?;
        Ok(Some(packer.finish()))
    }
}
