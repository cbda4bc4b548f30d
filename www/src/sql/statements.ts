/** The last of several SQL statements, and the text before it. */

import type { ScriptTokens } from "@duckdb/duckdb-wasm";

interface LastStatement {
  /** The statements before it. */
  before: string;
  /** The statement, in its lines and columns, without the semicolon at its end. */
  last: string;
  /** Whether it begins like a query, which can stand in another one. */
  isQuery: boolean;
}

const semicolon = ";".charCodeAt(0);

const beginsQuery = /^(?:\(|(?:SELECT|FROM|WITH|VALUES|TABLE|(?:UN)?PIVOT|DESCRIBE|DESC|SHOW|SUMMARIZE)\b)/i;

/**
 * Splits a text before its last statement.
 *
 * @param tokens those that DuckDB finds in the text. Their offsets count bytes of UTF-8.
 */
export function splitBeforeLast(sql: string, { offsets }: ScriptTokens): LastStatement {
  const bytes = new TextEncoder().encode(sql);
  const text = (begin: number, end?: number) => new TextDecoder().decode(bytes.subarray(begin, end));
  const isSemicolon = (offset: number) => bytes[offset] === semicolon;
  const lastToken = offsets.findLastIndex((offset) => !isSemicolon(offset));
  const firstToken = offsets.slice(0, lastToken + 1).findLastIndex(isSemicolon) + 1;
  const begin = firstToken === 0 ? 0 : Number(offsets[firstToken - 1]) + 1;
  const before = text(0, begin);
  return {
    before,
    last: before.replaceAll(/./gv, " ") + text(begin, offsets[lastToken + 1]),
    isQuery: beginsQuery.test(text(offsets[firstToken] ?? 0)),
  };
}
