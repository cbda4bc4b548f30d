//! Group ids: equal combinations of values get the same id.

use std::ops::Range;

use super::column_reader::CodeReader;
use super::part::Part;
use super::scope::Scope;
use chunk::column::Column;
use chunk::hash::HashSeed;
use chunk::hash_index::HashIndex;
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, extend, push, reserve, resize, with_capacity};
use chunk::packing::word_of;
use chunk::rows::row_buffer::write_every_nth;
use chunk::value::shapes::PathId;

/// The distinct combinations of values, as codes, by group id.
pub(super) struct GroupKeys {
    seed: HashSeed,
    width: usize,
    codes: Vec<u32>,
    /// The groups by the hashes of their codes, unless each group has a single code.
    index: HashIndex,
    /// For groups by a single column, the group of each code.
    of_code: Vec<u32>,
    /// The last chunk in which each group occurs, counted from 1.
    last_chunks: Vec<u32>,
    /// The chunk whose groups are interned.
    chunk: u32,
    /// The groups that occur in this chunk, in the order of their first rows.
    occurring: Vec<u32>,
}

/// Up to this many possible combinations of the stored values of a chunk, an array maps combinations to groups; hashing rows is slower.
const MAX_COMBINATIONS: usize = 4096;

const UNKNOWN: u32 = u32::MAX;

/// Visits the group ids of consecutive rows: the first row, and an id for each row from there on.
type GroupVisitor<'a> = dyn FnMut(usize, &[u32]) -> Result<(), OutOfMemory> + 'a;

/// Groups the rows of a scope by their values in some columns.
pub(super) struct GroupReader<'scope> {
    columns: Vec<CodeReader<'scope>>,
    batch: Batch,
}

impl<'scope> GroupReader<'scope> {
    /// Groups by the values at `paths`.
    pub(super) fn new(scope: &'scope Scope, paths: &[PathId]) -> Result<Self, OutOfMemory> {
        let mut columns = with_capacity(paths.len())?;
        for path in paths {
            columns.push(scope.codes(*path)?);
        }
        Ok(GroupReader { columns, batch: Batch::default() })
    }

    /// Visits the group ids of a part in row order. New ids count up in the order in which the groups first occur.
    pub(super) fn for_each_group(
        &mut self,
        part: &Part<'_>,
        keys: &mut GroupKeys,
        visit: &mut GroupVisitor<'_>,
    ) -> Result<(), OutOfMemory> {
        let GroupReader { columns, batch } = self;
        for rows in part.batches() {
            let in_chunk = rows.start - part.rows.start..rows.end - part.rows.start;
            let by_positions =
                part.whole().map(|at| batch.group_by_positions(keys, columns, at, in_chunk)).transpose()?;
            if by_positions != Some(true) {
                batch.group_by_hash(keys, columns, rows.clone())?;
            }
            visit(rows.start, &batch.groups)?;
        }
        Ok(())
    }
}

impl GroupKeys {
    /// No groups yet, by this number of values.
    pub(super) fn new(width: usize, seed: &HashSeed) -> Self {
        GroupKeys {
            seed: seed.clone(),
            width,
            codes: Vec::new(),
            index: HashIndex::default(),
            of_code: Vec::new(),
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
        let lists =
            self.codes.capacity() + self.of_code.capacity() + self.last_chunks.capacity() + self.occurring.capacity();
        lists * size_of::<u32>() + self.index.byte_length()
    }

    /// Returns the number of groups.
    pub(super) fn len(&self) -> usize {
        self.last_chunks.len()
    }

    /// Returns the codes of the values of a group.
    pub(super) fn key(&self, group: u32) -> &[u32] {
        let start = group as usize * self.width;
        self.codes.get(start..start + self.width).certain()
    }

    /// Returns the id of the group with these codes, a new one for new codes.
    pub(super) fn intern(&mut self, key: &[u32]) -> Result<u32, OutOfMemory> {
        if let [code] = key {
            return self.intern_code(*code);
        }
        let hash = self.seed.of_words(key);
        match self.index.find(hash, |group| self.key(group) == key) {
            Some(group) => self.note(group),
            None => {
                self.index.insert(hash, self.len() as u32)?;
                self.add(key)
            }
        }
    }

    #[inline]
    fn intern_code(&mut self, code: u32) -> Result<u32, OutOfMemory> {
        match self.of_code.get(code as usize) {
            Some(group) if *group != UNKNOWN => self.note(*group),
            _ => self.add_code(code),
        }
    }

    #[inline(never)]
    fn add_code(&mut self, code: u32) -> Result<u32, OutOfMemory> {
        let length = self.of_code.len().max(code as usize + 1);
        resize(&mut self.of_code, length, UNKNOWN)?;
        let group = self.add(&[code])?;
        *self.of_code.get_mut(code as usize).certain() = group;
        Ok(group)
    }

    /// Notes that a group occurs in the chunk.
    #[inline]
    fn note(&mut self, group: u32) -> Result<u32, OutOfMemory> {
        let last = self.last_chunks.get_mut(group as usize).certain();
        if *last != self.chunk {
            *last = self.chunk;
            push(&mut self.occurring, group)?;
        }
        Ok(group)
    }

    fn add(&mut self, key: &[u32]) -> Result<u32, OutOfMemory> {
        let group = self.len() as u32;
        extend(&mut self.codes, key)?;
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
    /// The codes of the rows, row after row.
    codes: Vec<u32>,
    /// The codes of the rows in one column.
    column: Vec<u32>,
    /// The group id of each combination of stored values.
    group_of: Vec<u32>,
}

impl Batch {
    /// Groups rows of one chunk by the positions of their values among the stored ones. Returns false if a column has no dictionary, or
    /// if there are too many possible combinations.
    fn group_by_positions(
        &mut self,
        keys: &mut GroupKeys,
        readers: &[CodeReader<'_>],
        at: usize,
        rows: Range<usize>,
    ) -> Result<bool, OutOfMemory> {
        let mut columns = with_capacity(readers.len())?;
        columns.extend(readers.iter().map(|reader| reader.of_chunk(at)));
        let mut combinations = 1;
        self.groups.clear();
        resize(&mut self.groups, rows.len(), 0)?;
        for column in &columns {
            let Some((positions, codes)) = column.dictionary() else {
                if column.constant(rows.end).is_some() {
                    continue;
                }
                return Ok(false);
            };
            let size = codes.len();
            combinations *= size;
            let Some(positions) = positions.get(rows.clone()).filter(|_| combinations <= MAX_COMBINATIONS) else {
                return Ok(false);
            };
            for (group, position) in self.groups.iter_mut().zip(positions) {
                *group = *group * size as u32 + u32::from(*position);
            }
        }
        self.group_of.clear();
        resize(&mut self.group_of, combinations, UNKNOWN)?;
        for group in &mut self.groups {
            let combination = *group;
            let known = self.group_of.get_mut(combination as usize).certain();
            if *known == UNKNOWN {
                *known = keys.intern(&key_of(&columns, combination)?)?;
            }
            *group = *known;
        }
        Ok(true)
    }

    /// Groups rows by the hash of their codes.
    fn group_by_hash(
        &mut self,
        keys: &mut GroupKeys,
        readers: &[CodeReader<'_>],
        rows: Range<usize>,
    ) -> Result<(), OutOfMemory> {
        let width = readers.len();
        self.groups.clear();
        reserve(&mut self.groups, rows.len())?;
        match readers {
            [] => {
                self.groups.resize(rows.len(), keys.intern(&[])?);
                return Ok(());
            }
            [reader] => {
                reader.codes(rows, &mut self.column)?;
                for code in &self.column {
                    self.groups.push(keys.intern_code(*code)?);
                }
                return Ok(());
            }
            _ => {}
        }
        self.codes.clear();
        resize(&mut self.codes, rows.len() * width, 0)?;
        for (position, reader) in readers.iter().enumerate() {
            reader.codes(rows.clone(), &mut self.column)?;
            write_every_nth(&self.column, self.codes.get_mut(position..).certain(), width);
        }
        for key in self.codes.chunks_exact(width) {
            self.groups.push(keys.intern(key)?);
        }
        Ok(())
    }
}

/// The codes for a combination of stored values, which numbers the combinations with the last column varying fastest.
fn key_of(columns: &[Column<'_>], combination: u32) -> Result<Vec<u32>, OutOfMemory> {
    let mut rest = combination as usize;
    let mut key = with_capacity(columns.len())?;
    for column in columns.iter().rev() {
        key.push(match column.dictionary() {
            Some((_, codes)) => {
                let code = word_of(codes.get(rest % codes.len().max(1)).certain());
                rest /= codes.len().max(1);
                code
            }
            None => column.word(0),
        });
    }
    key.reverse();
    Ok(key)
}
