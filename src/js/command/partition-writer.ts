// The columns of one partition, with integers beyond 2⁵³ as the service wrote them.

import { type Column, columnFromArray, int64 } from "@uwdata/flechette";
import { ArrowWriter, type ColumnType, emptyColumn, type PlannedColumn } from "../arrow/arrow-columns.js";
import type { FindingsTable } from "../table/table.js";
import { SOURCE } from "../table/table-source.js";
import type { PartitionSource } from "./partition-source.js";

/** The type of a column. */
export type ExactType = ColumnType | "int64";

export class PartitionWriter extends ArrowWriter {
  /** Whether some findings have fields without a column. */
  readonly isTruncated: boolean;
  readonly #source: PartitionSource | undefined;

  /** @param source the findings as the service wrote them, if the table has rounded some of their integers */
  constructor(table: FindingsTable<unknown>, source: PartitionSource | undefined) {
    super(table[SOURCE]());
    this.isTruncated = table.columnsTruncated;
    this.#source = source;
  }

  override write(planned: PlannedColumn<ExactType>): Column<unknown> {
    if (planned.type !== "int64") return super.write(planned as PlannedColumn);
    const integers = this.values(planned.of).map((value) => (value == null ? null : BigInt(value as number | bigint)));
    // Flechette makes no batch of an empty list, but each column of a stream has one.
    return this.length === 0 ? emptyColumn(int64()) : columnFromArray(integers, int64());
  }

  /** The columns with integers that the table has rounded, also inside arrays and objects. */
  roundedColumns(): string[] {
    return [...this.names].filter((name) => this.#source?.isRounded(name));
  }

  /** Whether all values of a column are integers of 64 bits, null or missing. */
  hasIntegersOnly(name: string): boolean {
    return this.values(name).every((value) => value == null || isInteger(value));
  }

  protected override values(name: string): unknown[] {
    const values = super.values(name);
    if (this.names.has(name)) this.#source?.replaceIn(values, name);
    return values;
  }
}

/** Whether a value is an integer of 64 bits, but not `-0`. */
function isInteger(value: unknown): boolean {
  if (typeof value === "number" && Number.isInteger(value) && !Object.is(value, -0)) return isInteger(BigInt(value));
  return typeof value === "bigint" && BigInt.asIntN(64, value) === value;
}
