// A table as codes: numbers for the values of some columns and for the people.

import { described, refusal, typeName, typeOf, wrongType } from "../../core/argument/refusal.js";
import { isObject, memberOf } from "../../core/host/member.js";
import type { FindingsTable } from "../../core/table/table.js";
import { SOURCE } from "../../core/table/table-source.js";
import { keyIdentity, plainKey, textOf } from "./axis.js";

/** Any table. */
export type AnyTable = FindingsTable<unknown>;

/** The code of a person who has no value. */
export const NOBODY = -1;

/** Keys, each with a code: 0, 1 and so on. Null and missing are one key. */
export class Numbering {
  readonly keys: unknown[] = [];
  readonly #codes = new Map<unknown, number>();
  readonly #ofObjects = new Map<unknown, number>();

  /** Returns the code of a key; a new one for a key that is new. */
  code(key: unknown): number {
    const known = this.find(key);
    if (known !== undefined) return known;
    if (isObject(key)) this.#ofObjects.set(keyIdentity(key), this.keys.length);
    else this.#codes.set(key ?? null, this.keys.length);
    return this.keys.push(key ?? null) - 1;
  }

  find(key: unknown): number | undefined {
    return isObject(key) ? this.#ofObjects.get(keyIdentity(key)) : this.#codes.get(key ?? null);
  }
}

/** Some columns, whose values or combinations of values have codes. */
export interface Coded {
  readonly names: readonly string[];
  readonly numbering: Numbering;
  /** Whether a key is a value, and no list. */
  readonly isSingle: boolean;
  /** Whether findings in which a value is missing or null have no code. */
  readonly needsValue: boolean;
}

/** Some findings as codes. */
export interface CodedFindings {
  /** For each thing that was asked for, the codes of the findings, or of their groups. */
  readonly codes: readonly Int32Array[];
  /** The number of findings of each group; undefined for single findings. */
  readonly counts: ArrayLike<number> | undefined;
  readonly length: number;
}

/** Checks that a value is a table. */
export function checkTable(table: unknown, name = "table"): AnyTable {
  if (isObject(table) && typeof memberOf(table, SOURCE) === "function") return table as never;
  const remedies: Record<string, string> = {
    LiveTable: "pass the table of its snapshot, getSnapshot().table",
    array: "pass FindingsTable.from() of it",
    object: isObject(table) && isObject(memberOf(table, "table")) ? "pass its table" : "",
  };
  throw wrongType(name, "a FindingsTable", table, () => typeOf(table, remedies[typeName(table)]));
}

/** Names a person, for a message. */
export function whoIs({ names, numbering }: Coded, code: number): string {
  return `${names.join()} ${textOf(numbering.keys[code])}`;
}

/** Refuses a table of those who were asked that has no column of the people. */
export function checkBase(base: AnyTable | undefined, names: readonly string[]): void {
  const { columns = [] } = base ?? {};
  const isThere = (name: string) => columns.some((column) => column === name || column.startsWith(`${name}.`));
  const lacking = columns.length > 0 && names.find((name) => !isThere(name));
  if (lacking) throw refusal(`base has no column ${described(lacking)}: it has ${columns.slice(0, 30).join(", ")}`);
}

/** Reads the findings and the table of those who were asked, if it is one. An error says which one lacks a column. */
export function ofBoth<Read>(findings: AnyTable, base: AnyTable | undefined, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    const { message = "" } = base !== undefined && error instanceof RangeError ? error : {};
    const nameIn = (table: AnyTable | undefined) =>
      table?.columns.map(described).find((name) => message.startsWith(`there is no column ${name}`));
    const [own, other] = [nameIn(findings), nameIn(base)];
    if ((own ?? other) === undefined) throw error;
    throw refusal(
      other === undefined
        ? `only the findings have the column ${own}, and base is asked for it, too: add it there`
        : `only base has the column ${other}, and the findings are asked for it, too: for columns of its values pass columns: ${other}; else add it to the findings by table.with`,
    );
  }
}

/** The error for a person who has findings and no row in the table of those who were asked, whose people have the codes before. */
export function lacks(people: Coded, code: number): TypeError {
  const { keys } = people.numbering;
  const key = keys[code];
  const idOf = (key: unknown) => plainKey(key).replace(/^0+(?=.)/, "");
  const other = keys.slice(0, people.isSingle ? code : 0).find((other) => idOf(other) === idOf(key));
  return refusal(
    other === undefined
      ? `base lacks ${whoIs(people, code)}, who has findings: each person needs a row`
      : `base has the ${typeof other} ${described(other)} where the findings have the ${typeof key} ${described(key)} in ${people.names.join()}: make them the same text`,
  );
}

/**
 * Reads some columns of a table. Findings are counted by groups, of which a live table groups only what is new. People are in about as many groups as
 * there are findings: to read the columns is faster. They are read anew at each snapshot, because a person speaks in many partitions: what a new one adds to
 * a cell depends on what all others have of its people, and the fold over them takes as long as the reading.
 */
export function codesOf(table: AnyTable, wanted: readonly Coded[], arePeople: boolean): CodedFindings {
  const names = wanted.flatMap((one) => one.names);
  const groups = arePeople ? undefined : table.countBy(names);
  const { column } = table[SOURCE]();
  let place = 0;
  const next = (name: string) => {
    const at = place++;
    return groups === undefined ? column(name) : groups.map(({ key }) => key[at]);
  };
  const codes = wanted.map((one) => codesOfLists(one.names.map(next), one));
  const counts = groups?.map(({ count }) => count);
  return { codes, counts, length: counts?.length ?? codes[0]?.length ?? 0 };
}

/** The codes of the values of a column, or of the combinations of those of several. */
function codesOfLists(lists: readonly (readonly unknown[])[], { isSingle, numbering, needsValue }: Coded): Int32Array {
  const [first = []] = lists;
  if (isSingle) return codesOfList(first, numbering, needsValue);
  const parts = lists.map((list) => {
    const own = new Numbering();
    return { codes: codesOfList(list, own, needsValue), own };
  });
  const known = new Map<number, number>();
  return Int32Array.from(first, (_, at) => {
    let chain = 0;
    for (const { codes, own } of parts) {
      const code = codes[at] as number;
      chain = code === NOBODY || chain === NOBODY ? NOBODY : chain * own.keys.length + code;
    }
    if (chain === NOBODY) return NOBODY;
    const code = known.get(chain) ?? numbering.code(parts.map(({ codes, own }) => own.keys[codes[at] as number]));
    known.set(chain, code);
    return code;
  });
}

function codesOfList(list: readonly unknown[], numbering: Numbering, needsValue: boolean): Int32Array {
  const codes = new Int32Array(list.length);
  for (let at = 0; at < list.length; at++) {
    const value = list[at];
    codes[at] = needsValue && (value === null || value === undefined) ? NOBODY : numbering.code(value);
  }
  return codes;
}
