//! What the tables of one call share: the chunks that have arrived, under ids that are the same in all of them.
//!
//! The strings and numbers of each chunk are counted on from those of the chunks that arrived before. So a cell of a chunk becomes a cell of
//! the catalog by an addition. Paths and shapes are counted once for all chunks, by their keys: findings with the same keys have the same
//! shape, whatever their chunk. Nothing is ever removed or changed, so ids stay the same while more chunks arrive.

use std::cell::{Ref, RefCell};
use std::rc::Rc;

use super::codes::{ColumnCodes, StoredCodes};
use super::contents::Contents;
use super::limit::{Limit, TableError};
use super::member::{Member, StructureIds};
use chunk::hash::HashSeed;
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, push, reserve, try_shared, with_capacity};
use chunk::value::column_name::ColumnList;
use chunk::value::shapes::{Limits, PathId, Shapes};
use chunk::{Chunk, of_chunk};

/// The chunks that tables share. Tables may share a catalog to which further chunks are added.
pub struct Catalog {
    seed: HashSeed,
    column_list: ColumnList,
    contents: RefCell<Contents>,
    /// The codes of the columns that queries have asked for, by ascending path.
    codes: RefCell<Vec<(PathId, ColumnCodes)>>,
}

impl Catalog {
    /// An empty catalog of findings with these columns.
    pub fn new(seed: HashSeed, column_list: ColumnList) -> Self {
        let contents = Contents { members: Vec::new(), shapes: Shapes::new(seed.clone(), Limits::TABLE), rows: 0 };
        Catalog { seed, column_list, contents: RefCell::new(contents), codes: RefCell::default() }
    }

    /// An empty catalog of findings with these columns, whose hashes are the same.
    pub(super) fn emptied(&self, column_list: ColumnList) -> Self {
        Self::new(self.seed.clone(), column_list)
    }

    /// Adds a chunk.
    ///
    /// # Errors
    /// Out of memory, or there are more findings, strings or numbers than a table can have. The catalog is as before, for every use.
    pub fn add(&self, chunk: Rc<Chunk>) -> Result<Rc<Member>, TableError> {
        let contents = &mut *self.contents.borrow_mut();
        let rows = contents.rows + chunk.len() as u64;
        let (strings, numbers) = contents.members.last().map_or((0, 0), |last| last.ends());
        Limit::Findings.check(rows)?;
        Limit::Strings.check(u64::from(strings) + chunk.strings().len() as u64)?;
        Limit::Numbers.check(u64::from(numbers) + chunk.numbers().len() as u64)?;
        reserve(&mut contents.members, 1)?;
        let (paths, shapes) = of_chunk(chunk.structure().add_to(&mut contents.shapes))?;
        let mut locals = Vec::new();
        if paths.iter().zip(0..).any(|(path, local)| *path != local) {
            locals = with_capacity(paths.len())?;
            locals.extend(paths.iter().copied().zip(0..));
            locals.sort_unstable();
        }
        let number = contents.members.len() as u32;
        let ids = StructureIds { paths, shapes, locals };
        let ids = match contents.members.last() {
            Some(last) if *last.ids == ids => Rc::clone(&last.ids),
            _ => try_shared(ids)?,
        };
        let member = try_shared(Member { number, chunk, strings, numbers, ids })?;
        contents.members.push(Rc::clone(&member));
        contents.rows = rows;
        Ok(member)
    }

    /// Borrows the chunks and what they refer to. The borrow must end before a chunk is added.
    pub fn contents(&self) -> Ref<'_, Contents> {
        self.contents.borrow()
    }

    /// Returns the columns that findings are limited to; `None` if they have all.
    pub fn column_list(&self) -> Option<&Rc<Vec<u8>>> {
        self.column_list.as_ref()
    }

    /// Returns the seed of all hashes.
    pub(super) fn seed(&self) -> &HashSeed {
        &self.seed
    }

    /// Returns the codes of a column of some chunks. No codes may be [borrowed](Self::column_codes).
    pub(super) fn codes_of<'member>(
        &self,
        path: PathId,
        members: impl Iterator<Item = &'member Rc<Member>>,
    ) -> Result<Vec<StoredCodes>, OutOfMemory> {
        let mut codes = Vec::new();
        for member in members {
            push(&mut codes, self.codes_of_chunk(path, member)?)?;
        }
        Ok(codes)
    }

    fn codes_of_chunk(&self, path: PathId, member: &Member) -> Result<StoredCodes, OutOfMemory> {
        let known = self.column_codes(path).and_then(|codes| codes.chunks.get(member.number).cloned());
        if let Some(known) = known {
            return Ok(known);
        }
        let words = member.column(path).stored_words()?;
        let mut columns = self.codes.borrow_mut();
        let at = match columns.binary_search_by_key(&path, |(path, _)| *path) {
            Ok(at) => at,
            Err(at) => {
                reserve(&mut columns, 1)?;
                columns.insert(at, (path, ColumnCodes::new(self.seed.clone())?));
                at
            }
        };
        let (_, codes) = columns.get_mut(at).certain();
        codes.add(&self.contents(), member, &words)
    }

    /// Borrows the codes of a column, if a query has [asked for them](Self::codes_of).
    pub(super) fn column_codes(&self, path: PathId) -> Option<Ref<'_, ColumnCodes>> {
        let found = Ref::filter_map(self.codes.borrow(), |columns| {
            let at = columns.binary_search_by_key(&path, |(path, _)| *path).ok()?;
            columns.get(at).map(|(_, codes)| codes)
        });
        found.ok()
    }
}
