/** The analysis of a table: the view and the counts of a selection, by queries of the package. */

import type { Condition, FindingsTable, Scalar } from "inspection-findings";
import { type Dimension, type DimensionName, dimensionsOf } from "./dimension.js";
import type { Order, Selection } from "./selection.js";

/** The number of findings with one value, in total and by sentiment. */
export interface Group {
  value: Scalar;
  count: number;
  /** Empty if findings have no sentiment. */
  bySentiment: ReadonlyMap<unknown, number>;
}

export interface Result {
  /** The selected findings, in order. Valid until the next query. */
  findings: FindingsTable;
  /** The groups of each dimension, without the filter on that dimension itself, so that its unselected values stay visible. */
  groups: ReadonlyMap<DimensionName, readonly Group[]>;
}

export class Analysis {
  /** The dimensions of the table: the same array while they are the same. */
  dimensions: readonly Dimension[] = [];
  #columns: readonly string[] = [];
  #table: FindingsTable;
  #searched: { search: string; view: FindingsTable };
  #filtered: FindingsTable;
  #ordered: FindingsTable;

  /** Analyses a table, and owns it: `free` frees the table, too. */
  constructor(table: FindingsTable) {
    this.#table = table;
    this.#searched = { search: "", view: table };
    this.#filtered = table;
    this.#ordered = table;
    this.#readColumns();
  }

  /** The table, without the selection. */
  get table(): FindingsTable {
    return this.#table;
  }

  get length(): number {
    return this.#table.length;
  }

  /** Whether this is the table. */
  isOf(table: FindingsTable): boolean {
    return table === this.#table;
  }

  get canSearch(): boolean {
    return this.#columns.includes("Comment");
  }

  /** Whether findings have a sentiment. */
  get hasSentiment(): boolean {
    return this.dimensions.some(({ name }) => name === "sentiment");
  }

  /**
   * Queries a selection, of another table if one is given: a later snapshot, which is owned in place of the last. The package remembers
   * the queries of the last snapshot, and computes only what has been added.
   */
  query(selection: Selection, table = this.#table): Result {
    const before = [this.#table, this.#searched.view, this.#filtered, this.#ordered];
    if (table !== this.#table) {
      this.#table = table;
      this.#searched = { search: "", view: table };
      this.#readColumns();
    }
    this.#search(this.canSearch ? selection.search : "");
    this.#filtered = this.#filter(selection);
    // Sorts last, because findings in the order of the table are counted faster.
    this.#ordered = ordered(this.#filtered, selection.order);
    before.forEach((view) => {
      this.#release(view);
    });
    return {
      findings: this.#ordered,
      groups: new Map(this.dimensions.map((dimension) => [dimension.name, this.#groups(selection, dimension)])),
    };
  }

  /** The conditions of a selection, by column. */
  conditions(selection: Selection): Record<string, Condition> {
    const search: Record<string, Condition> =
      selection.search === "" ? {} : { Comment: { contains: selection.search } };
    return { ...search, ...this.#conditions(selection) };
  }

  free(): void {
    for (const view of [this.#ordered, this.#filtered, this.#searched.view, this.#table]) {
      view.free();
    }
  }

  #readColumns(): void {
    const { columns } = this.#table;
    if (columns.join() !== this.#columns.join()) {
      this.#columns = columns;
      const dimensions = dimensionsOf(this.#table);
      if (JSON.stringify(dimensions) !== JSON.stringify(this.dimensions)) {
        this.dimensions = dimensions;
      }
    }
  }

  /** Searches within the last result if the new text contains the last one. */
  #search(search: string): void {
    const { search: known, view } = this.#searched;
    if (known !== search) {
      const among = search.includes(known) ? view : this.#table;
      this.#searched = { search, view: search === "" ? this.#table : among.filter({ Comment: { contains: search } }) };
    }
  }

  /** The findings that match the filters of all dimensions, or of all but one. */
  #filter(selection: Selection, but?: Dimension): FindingsTable {
    const conditions = this.#conditions(selection, but);
    const { view } = this.#searched;
    return Object.keys(conditions).length === 0 ? view : view.filter(conditions);
  }

  #conditions(selection: Selection, but?: Dimension): Record<string, Condition> {
    const filtered = this.dimensions.filter(
      (dimension) => dimension !== but && selection.chosen(dimension.name).size > 0,
    );
    return Object.fromEntries(filtered.map(({ name, column }) => [column, [...selection.chosen(name)]]));
  }

  #groups(selection: Selection, dimension: Dimension): Group[] {
    const isFiltered = selection.chosen(dimension.name).size > 0;
    const findings = isFiltered ? this.#filter(selection, dimension) : this.#filtered;
    const groups = this.#count(findings, dimension);
    this.#release(findings);
    const missing = [...(dimension.scale ?? []), ...selection.chosen(dimension.name)] as Scalar[];
    for (const value of missing) {
      if (!groups.has(value)) {
        groups.set(value, { value, count: 0, bySentiment: new Map() });
      }
    }
    return [...groups.values()];
  }

  #count(findings: FindingsTable, { name, column }: Dimension): Map<Scalar, Group> {
    if (name === "sentiment" || !this.hasSentiment) {
      return new Map(
        findings.countBy(column).map(({ key: [value], count }) => {
          const bySentiment = name === "sentiment" ? new Map([[value, count]]) : new Map();
          return [value as Scalar, { value: value as Scalar, count, bySentiment }];
        }),
      );
    }
    const groups = new Map<Scalar, { value: Scalar; count: number; bySentiment: Map<unknown, number> }>();
    for (const { key, count } of findings.countBy(column, "Sentiment")) {
      const value = key[0] as Scalar;
      const group = groups.get(value) ?? { value, count: 0, bySentiment: new Map() };
      group.count += count;
      group.bySentiment.set(key[1], count);
      groups.set(value, group);
    }
    return groups;
  }

  /** Frees a view unless it is in use. */
  #release(view: FindingsTable): void {
    if (![this.#table, this.#searched.view, this.#filtered, this.#ordered].includes(view)) {
      view.free();
    }
  }
}

function ordered(view: FindingsTable, order: Order | undefined): FindingsTable {
  return order === undefined ? view : view.sortBy(order.column, order.direction);
}
