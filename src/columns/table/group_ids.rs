//! Group ids: equal combinations of values get the same id.

use std::ops::Range;

use super::view::View;
use crate::cell::Cell;
use crate::column::Column;
use crate::hash_index::HashIndex;
use crate::hash_seed::HashSeed;
use crate::memory::{OutOfMemory, extend, push, reserve, resize, with_capacity};
use crate::row_buffer::write_every_nth;
use crate::shapes::PathId;
use crate::shared_dictionary::SharedDictionary;

/// The distinct combinations of values, by group id.
pub(super) struct GroupKeys {
    seed: HashSeed,
    width: usize,
    words: Vec<u32>,
    index: HashIndex,
    /// The last chunk in which each group occurs, counted from 1.
    last_chunks: Vec<u32>,
    /// The chunk whose groups are interned.
    chunk: u32,
    /// The groups that occur in this chunk, in the order of their first rows.
    occurring: Vec<u32>,
}

/// Up to this many possible combinations of dictionary codes, an array maps codes to groups; hashing rows is slower.
const MAX_CODE_COMBINATIONS: usize = 4096;

const UNKNOWN: u32 = u32::MAX;

/// Visits the group ids of consecutive rows: the first row, and an id for each row from there on.
type GroupVisitor<'a> = dyn FnMut(usize, &[u32]) -> Result<(), OutOfMemory> + 'a;

/// Groups all rows by their values at `paths` and visits the group ids in row order. New ids count up in the order in which the
/// groups first occur.
pub(super) fn for_each_group(
    view: &View,
    paths: &[PathId],
    keys: &mut GroupKeys,
    visit: &mut GroupVisitor<'_>,
) -> Result<(), OutOfMemory> {
    let mut batch = Batch::default();
    for rows in view.batches() {
        let mut start = rows.start;
        if view.is_selection() {
            batch.group_by_hash(keys, view, paths, rows)?;
            visit(start, &batch.groups)?;
            continue;
        }
        view.for_each_part(rows, &mut |chunk, rows| {
            let mut columns: Vec<Option<&Column>> = with_capacity(paths.len())?;
            columns.extend(paths.iter().map(|path| chunk.column(*path)));
            let end = start + rows.len();
            if !batch.group_by_codes(keys, view.shared_dictionary(), &columns, rows)? {
                batch.group_by_hash(keys, view, paths, start..end)?;
            }
            visit(start, &batch.groups)?;
            start = end;
            Ok(())
        })?;
    }
    Ok(())
}

impl GroupKeys {
    /// No groups yet, by this number of values.
    pub(super) fn new(width: usize, seed: &HashSeed) -> Self {
        GroupKeys {
            seed: seed.clone(),
            width,
            words: Vec::new(),
            index: HashIndex::default(),
            last_chunks: Vec::new(),
            chunk: 0,
            occurring: Vec::new(),
        }
    }

    /// Begins the next chunk.
    pub(super) fn begin_chunk(&mut self) {
        self.chunk += 1;
        self.occurring.clear();
    }

    /// Returns the groups that occur in the last chunk, in the order of their first rows.
    pub(super) fn occurring(&self) -> &[u32] {
        &self.occurring
    }

    /// Returns the bytes of memory that the groups hold.
    pub(super) fn byte_length(&self) -> usize {
        let lists = self.words.capacity() + self.last_chunks.capacity() + self.occurring.capacity();
        lists * size_of::<u32>() + self.index.byte_length()
    }

    /// The seed of the hashes.
    pub(super) fn seed(&self) -> &HashSeed {
        &self.seed
    }

    /// Returns the number of groups.
    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// Returns the values of a group, as the words of cells.
    pub(super) fn key(&self, group: u32) -> &[u32] {
        let start = group as usize * self.width;
        self.words.get(start..start + self.width).unwrap_or_default()
    }

    /// Returns the id of the group with these values, a new one for new values.
    fn intern(&mut self, key: &[u32]) -> Result<u32, OutOfMemory> {
        let hash = self.seed.of_words(key);
        if let Some(group) = self.index.find(hash, |group| self.key(group) == key) {
            if let Some(last) = self.last_chunks.get_mut(group as usize)
                && *last != self.chunk
            {
                *last = self.chunk;
                push(&mut self.occurring, group)?;
            }
            return Ok(group);
        }
        let group = self.len() as u32;
        extend(&mut self.words, key)?;
        self.index.insert(hash, group)?;
        push(&mut self.last_chunks, self.chunk)?;
        push(&mut self.occurring, group)?;
        Ok(group)
    }
}

/// The buffers in which one batch of rows is grouped.
#[derive(Default)]
struct Batch {
    /// The group id of each row.
    groups: Vec<u32>,
    /// The values of the rows, row after row.
    words: Vec<u32>,
    /// The values of the rows in one column.
    column: Vec<u32>,
    /// The group id of each combination of dictionary codes.
    group_of_codes: Vec<u32>,
}

impl Batch {
    /// Groups rows of one chunk by the dictionary codes of their columns. Returns false if a column has no dictionary, or if
    /// the codes have too many possible combinations.
    fn group_by_codes(
        &mut self,
        keys: &mut GroupKeys,
        dictionary: &SharedDictionary,
        columns: &[Option<&Column>],
        rows: Range<usize>,
    ) -> Result<bool, OutOfMemory> {
        let mut combinations = 1;
        self.groups.clear();
        resize(&mut self.groups, rows.len(), 0)?;
        for column in columns {
            let Some((codes, values)) = column.and_then(Column::dictionary) else {
                if column.is_none_or(|column| column.constant(rows.end).is_some()) {
                    continue;
                }
                return Ok(false);
            };
            combinations *= values.len();
            let Some(codes) = codes.get(rows.clone()).filter(|_| combinations <= MAX_CODE_COMBINATIONS) else {
                return Ok(false);
            };
            let size = values.len() as u32;
            for (group, code) in self.groups.iter_mut().zip(codes) {
                *group = *group * size + u32::from(*code);
            }
        }
        self.group_of_codes.clear();
        resize(&mut self.group_of_codes, combinations, UNKNOWN)?;
        for group in &mut self.groups {
            let combination = *group;
            let Some(known) = self.group_of_codes.get_mut(combination as usize) else {
                return Ok(false);
            };
            if *known == UNKNOWN {
                *known = keys.intern(&key_of_codes(dictionary, columns, combination)?)?;
            }
            *group = *known;
        }
        Ok(true)
    }

    /// Groups rows by the hash of their values.
    fn group_by_hash(
        &mut self,
        keys: &mut GroupKeys,
        view: &View,
        paths: &[PathId],
        rows: Range<usize>,
    ) -> Result<(), OutOfMemory> {
        let width = paths.len();
        self.groups.clear();
        self.words.clear();
        resize(&mut self.words, rows.len().checked_mul(width).ok_or(OutOfMemory)?, 0)?;
        for (position, path) in paths.iter().enumerate() {
            view.read(*path, rows.clone(), &mut self.column)?;
            write_every_nth(&self.column, self.words.get_mut(position..).unwrap_or_default(), width);
        }
        reserve(&mut self.groups, rows.len())?;
        if width == 0 {
            self.groups.resize(rows.len(), keys.intern(&[])?);
            return Ok(());
        }
        let dictionary = view.shared_dictionary();
        for key in self.words.chunks_exact_mut(width) {
            for word in key.iter_mut() {
                *word = dictionary.normalized(Cell::from_word(*word))?.word();
            }
            self.groups.push(keys.intern(key)?);
        }
        Ok(())
    }
}

/// The values for a combination of dictionary codes, which numbers the combinations with the last column varying fastest.
fn key_of_codes(
    dictionary: &SharedDictionary,
    columns: &[Option<&Column>],
    combination: u32,
) -> Result<Vec<u32>, OutOfMemory> {
    let mut rest = combination as usize;
    let mut key = with_capacity(columns.len())?;
    for column in columns.iter().rev() {
        let word = match column.and_then(Column::dictionary) {
            Some((_, values)) => {
                let size = values.len().max(1);
                let code = rest % size;
                rest /= size;
                values.get(code).copied().unwrap_or(Cell::MISSING.word())
            }
            None => column.map_or(Cell::MISSING.word(), |column| column.word(0)),
        };
        key.push(dictionary.normalized(Cell::from_word(word))?.word());
    }
    key.reverse();
    Ok(key)
}
