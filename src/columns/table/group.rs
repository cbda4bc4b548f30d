//! Findings grouped by the values of some columns.

use std::ops::Range;

use super::Table;
use super::sort::sorted;
use crate::cell::{Cell, Content};
use crate::column::Column;
use crate::dictionary::Dictionary;
use crate::hash_index::HashIndex;
use crate::memory::{OutOfMemory, extend, push, reserve, resize, with_capacity};
use crate::row_buffer::spread;
use crate::shapes::PathId;

/// Findings grouped by their values in some columns, the largest group first, then the first seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Groups {
    /// A value for each column, one group after the other.
    pub keys: Vec<Cell>,
    /// What the findings of each group are like.
    pub aggregates: Vec<Aggregate>,
}

/// What the findings of a group are like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aggregate {
    /// How many there are.
    pub findings: usize,
    /// How many of them have a number in the column that is summarised.
    pub count: usize,
    /// The sum of these numbers.
    pub sum: f64,
    /// The smallest; infinity where there is none.
    pub min: f64,
    /// The largest; minus infinity where there is none.
    pub max: f64,
}

const NO_FINDINGS: Aggregate =
    Aggregate { findings: 0, count: 0, sum: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY };

impl Aggregate {
    fn add_number(&mut self, number: f64) {
        self.count += 1;
        self.sum += number;
        self.min = self.min.min(number);
        self.max = self.max.max(number);
    }
}

/// Groups the findings by their values at some paths, and summarises the numbers at another one if it is given.
pub fn group(table: &Table, paths: &[PathId], summarised: Option<PathId>) -> Result<Groups, OutOfMemory> {
    let mut aggregates: Vec<Aggregate> = Vec::new();
    let mut values = Vec::new();
    let combinations = for_each_group(table, paths, &mut |start, groups| {
        for group in groups {
            // Groups are numbered as they are first seen.
            if *group as usize >= aggregates.len() {
                push(&mut aggregates, NO_FINDINGS)?;
            }
            aggregates.get_mut(*group as usize).into_iter().for_each(|aggregates| aggregates.findings += 1);
        }
        if let Some(path) = summarised {
            table.read(path, start..start + groups.len(), &mut values)?;
            for (group, word) in groups.iter().zip(&values) {
                if let Some(aggregates) = aggregates.get_mut(*group as usize)
                    && let Some(number) = number(table.dictionary(), Cell::from_word(*word))
                {
                    aggregates.add_number(number);
                }
            }
        }
        Ok(())
    })?;
    let findings_of = |group: usize| aggregates.get(group).map(|aggregates| aggregates.findings);
    let order = sorted(aggregates.len(), &mut |left, right| findings_of(right).cmp(&findings_of(left)))?;
    let mut groups =
        Groups { keys: with_capacity(combinations.words().len())?, aggregates: with_capacity(order.len())? };
    for group in order {
        groups.keys.extend(combinations.words_of(group).iter().map(|word| Cell::from_word(*word)));
        groups.aggregates.extend(aggregates.get(group));
    }
    Ok(groups)
}

/// The number that a cell stands for, if it is one.
pub fn number(dictionary: &Dictionary, cell: Cell) -> Option<f64> {
    match cell.content() {
        Content::Integer(value) => Some(f64::from(value)),
        Content::Number(id) => Some(dictionary.numbers.value(id)),
        _ => None,
    }
}

/// The distinct combinations of values.
pub struct GroupKeys {
    width: usize,
    words: Vec<u32>,
    index: HashIndex,
}

/// So many combinations of a few values are counted in a list rather than looked up.
const MAX_CODE_COMBINATIONS: usize = 4096;
const UNKNOWN: u32 = u32::MAX;

/// Takes the groups of some rows: the first row, and the groups from there on.
type GroupVisitor<'a> = dyn FnMut(usize, &[u32]) -> Result<(), OutOfMemory> + 'a;

/// Hands out the group of each row, in batches.
pub fn for_each_group(table: &Table, paths: &[PathId], visit: &mut GroupVisitor<'_>) -> Result<GroupKeys, OutOfMemory> {
    let mut groups = GroupKeys { width: paths.len(), words: Vec::new(), index: HashIndex::default() };
    let mut batch = Batch::default();
    for rows in table.batches() {
        let mut start = rows.start;
        if table.rows.is_some() {
            batch.group_by_hash(&mut groups, table, paths, rows)?;
            visit(start, &batch.groups)?;
            continue;
        }
        table.store.for_each_part(rows, &mut |chunk, rows| {
            let mut columns: Vec<Option<&Column>> = with_capacity(paths.len())?;
            columns.extend(paths.iter().map(|path| chunk.column(*path)));
            let end = start + rows.len();
            if !batch.group_by_codes(&mut groups, table.dictionary(), &columns, rows)? {
                batch.group_by_hash(&mut groups, table, paths, start..end)?;
            }
            visit(start, &batch.groups)?;
            start = end;
            Ok(())
        })?;
    }
    Ok(groups)
}

#[derive(Default)]
struct Batch {
    /// The group of each row.
    groups: Vec<u32>,
    /// The values of the rows, one row behind the other.
    words: Vec<u32>,
    /// The values of the rows in one column.
    column: Vec<u32>,
    /// The group of each combination of codes.
    group_of_codes: Vec<u32>,
}

impl Batch {
    /// Groups rows by the codes that their values have in the dictionaries of the columns; false if there are no or too many codes.
    fn group_by_codes(
        &mut self,
        groups: &mut GroupKeys,
        dictionary: &Dictionary,
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
            self.groups.iter_mut().zip(codes).for_each(|(group, code)| *group = *group * size + u32::from(*code));
        }
        self.group_of_codes.clear();
        resize(&mut self.group_of_codes, combinations, UNKNOWN)?;
        for combination in &mut self.groups {
            let Some(known) = self.group_of_codes.get_mut(*combination as usize) else {
                return Ok(false);
            };
            if *known == UNKNOWN {
                *known = groups.of(&words_of(dictionary, columns, *combination)?)?;
            }
            *combination = *known;
        }
        Ok(true)
    }

    /// Groups rows by their values.
    fn group_by_hash(
        &mut self,
        groups: &mut GroupKeys,
        table: &Table,
        paths: &[PathId],
        rows: Range<usize>,
    ) -> Result<(), OutOfMemory> {
        let width = paths.len();
        self.groups.clear();
        self.words.clear();
        resize(&mut self.words, rows.len().checked_mul(width).ok_or(OutOfMemory)?, 0)?;
        for (position, path) in paths.iter().enumerate() {
            table.read(*path, rows.clone(), &mut self.column)?;
            spread(&self.column, self.words.get_mut(position..).unwrap_or_default(), width);
        }
        reserve(&mut self.groups, rows.len())?;
        if width == 0 {
            self.groups.resize(rows.len(), groups.of(&[])?);
            return Ok(());
        }
        for words in self.words.chunks_exact_mut(width) {
            words.iter_mut().for_each(|word| *word = without_sign_of_zero(&table.store.dictionary, *word));
            self.groups.push(groups.of(words)?);
        }
        Ok(())
    }
}

impl GroupKeys {
    /// The values of all groups, one group after the other.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.words.len().checked_div(self.width).unwrap_or(0)
    }

    fn words_of(&self, group: usize) -> &[u32] {
        self.words.get(group * self.width..(group + 1) * self.width).unwrap_or_default()
    }

    /// The group of these values, which is added when it is new.
    fn of(&mut self, words: &[u32]) -> Result<u32, OutOfMemory> {
        let hash = words
            .iter()
            .fold(0, |hash: u64, word| (hash ^ u64::from(*word)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29));
        let hash = (hash >> 8) as u32;
        if let Some(group) = self.index.find(hash, |group| self.words_of(group as usize) == words) {
            return Ok(group);
        }
        let group = if self.width == 0 { 0 } else { self.len() as u32 };
        extend(&mut self.words, words)?;
        self.index.insert(hash, group)?;
        Ok(group)
    }
}

/// The values that a combination of codes stands for.
fn words_of(dictionary: &Dictionary, columns: &[Option<&Column>], combination: u32) -> Result<Vec<u32>, OutOfMemory> {
    let mut rest = combination as usize;
    let mut words = with_capacity(columns.len())?;
    words.extend(columns.iter().rev().map(|column| match column.and_then(Column::dictionary) {
        Some((_, values)) => {
            let code = rest % values.len().max(1);
            rest /= values.len().max(1);
            values.get(code).copied().unwrap_or(Cell::MISSING.word())
        }
        None => column.map_or(Cell::MISSING.word(), |column| column.word(0)),
    }));
    words.reverse();
    words.iter_mut().for_each(|word| *word = without_sign_of_zero(dictionary, *word));
    Ok(words)
}

/// Groups visit `-0` for `0`, as a `Map` does.
fn without_sign_of_zero(dictionary: &Dictionary, word: u32) -> u32 {
    match Cell::from_word(word).content() {
        Content::Number(id) if dictionary.numbers.value(id) == 0.0 => Cell::integer(0).word(),
        _ => word,
    }
}
