/** Which names a query takes, by the kind of the findings and the columns that they have. In Node. */

import fc from "fast-check";
import { FindingsClient, FindingsTable } from "inspection-findings";
import { crosstab } from "inspection-findings/survey";
import { meanOf } from "inspection-findings/survey/means";
import { respondentsOf } from "inspection-findings/survey/respondents";
import { expect, test } from "vitest";
import { timesOf } from "../../counts.js";
import { Wire } from "../../page/wire.js";

type Table = FindingsTable<any>;
type Kind = "sentiment" | "topics";

/** A value of each documented field. */
const VALUES: Record<string, unknown> = {
  ...{ VariableKey: 1, RespondentKey: 2, RespondentId: "r", StringKey: 3, TopicGroup: null, ExpressionGroup: "Praise" },
  ...{ Comment: "Late", Topic: { Text: "Delay" }, Expression: { Text: "late" }, Extract: { Text: "It was late" } },
  ...{ Sentiment: -1, NoTopic: true, NoExpression: false },
};
const OPTIONAL = ["Sentiment", "NoTopic", "NoExpression"];
const REQUIRED = Object.keys(VALUES).filter((name) => !OPTIONAL.includes(name));

/** The column of a field. */
const columnOf = (field: string) => (typeof VALUES[field] === "object" && VALUES[field] ? `${field}.Text` : field);

const NAMES = [...Object.keys(VALUES).map(columnOf), "Coment"];

/** Every query, about a table of findings with the fields `id` and `n`. */
const QUERIES: Record<string, (table: Table, name: string) => unknown> = {
  column: (table, name) => table.column(name),
  numbers: (table, name) => table.numbers(name),
  countBy: (table, name) => table.countBy("id", name),
  "distinct of countBy": (table, name) => table.countBy("id", { distinct: name }),
  "names of summarize": (table, name) => table.summarize([name], "n"),
  "value of summarize": (table, name) => table.summarize("id", name),
  aggregates: (table, name) => table.summarize("id", { worst: { min: name }, people: { distinct: name } }),
  filter: (table, name) => table.filter({ [name]: { missing: true } }),
  "alternatives of filter": (table, name) => table.filter([{ id: 1 }, { [name]: { not: null } }]),
  sortBy: (table, name) => table.sortBy(["id", name]),
  with: (table, name) => table.with("New", { by: name, values: {} }),
  "rows of crosstab": (table, name) => crosstab(table, [name, "id"], "n"),
  "columns of crosstab": (table, name) => crosstab(table, "id", { all: {}, own: name }),
  "conditions of crosstab": (table, name) => crosstab(table, { some: { [name]: { not: null } } }, "id"),
  "distinct of crosstab": (table, name) => crosstab(table, "id", "n", { distinct: [name, "id"] }),
  "weight of crosstab": (table, name) => crosstab(table, "n", "n", { distinct: "id", weight: name }),
  "base of crosstab": (table, name) => crosstab(table, "n", name, { distinct: "id", base: table }),
  "column of meanOf": (table, name) => meanOf(table, name as never, { per: "id" }),
  "by of meanOf": (table, name) => meanOf(table, "n" as never, { per: "id", by: [name] }),
  "per of meanOf": (table, name) => meanOf(table, "n" as never, { per: [name] }),
  "per of respondentsOf": (table, name) => respondentsOf(table, { per: [name], by: "n" }),
  "by of respondentsOf": (table, name) => respondentsOf(table, { per: "id", by: name }),
  "value of respondentsOf": (table, name) =>
    respondentsOf(table, { per: "id", by: { no: { id: 9 } }, value: name as never }),
  "keep of respondentsOf": (table, name) => respondentsOf(table, { per: "id", by: "n", keep: [name] }),
  "keep of a base": (table, name) => respondentsOf(table, { per: "id", by: "n", base: table, keep: [name] }),
};

/** A table, the kinds of its calls, and the fields of its findings. */
interface Origin {
  readonly from: (Kind | "objects" | "nothing")[];
  readonly rows: number;
  readonly fields: string[];
  readonly steps: (typeof STEPS)[number][];
}

const STEPS = ["view", "sorted", "bytes", "with"] as const;

const origins: fc.Arbitrary<Origin> = fc.record({
  from: fc.array(fc.constantFrom<Origin["from"][number]>("sentiment", "topics", "objects", "nothing"), {
    ...{ minLength: 1, maxLength: 3 },
  }),
  rows: fc.constantFrom(0, 1, 3),
  // All but a few, or a few.
  fields: fc
    .tuple(fc.boolean(), fc.subarray(REQUIRED, { maxLength: 2 }), fc.subarray(OPTIONAL))
    .map(([isMost, some, optional]) => [...REQUIRED.filter((name) => some.includes(name) !== isMost), ...optional]),
  steps: fc.array(fc.constantFrom(...STEPS), { maxLength: 2 }),
});

// P43
test("a name is refused as soon as a table has findings, unless one has it, or all may lack it", async () => {
  await fc.assert(
    fc.asyncProperty(origins, async ({ from, rows, fields, steps }) => {
      const finding = Object.fromEntries(fields.map((name) => [name, VALUES[name]]));
      const findings = Array.from({ length: rows }, (_, id) => ({ ...finding, id, n: 1 }));
      const counts = { TopicPartitions: 2, SentimentPartitions: 2 };
      const { fetch } = new Wire({ counts, findings: (index) => (index === 0 ? findings : []) });
      const client = new FindingsClient({ baseUrl: "https://service.invalid/", worker: false, fetch });
      const tables = await Promise.all(
        from.map((kind, at): Promise<Table> => {
          if (kind === "objects") return FindingsTable.from(findings);
          if (kind === "nothing") return FindingsTable.from([]);
          return at === 0 ? client.loadPartition(1, kind, 0) : client.loadTable(1, kind);
        }),
      );
      let table = tables.length === 1 ? (tables[0] as Table) : (FindingsTable.concat(tables) as Table);
      for (const next of steps) {
        if (next === "view") table = table.filter({ n: [1] });
        if (next === "sorted") table = table.sortBy("n");
        if (next === "bytes") table = await FindingsTable.fromBytes(table.toBytes());
        if (next === "with") table = table.with(`New${table.columns.length}`, { by: "id", values: {} });
      }
      const isOwn = !from.some((kind) => kind === "sentiment" || kind === "topics");
      const isEmpty = rows === 0 || from.every((kind) => kind === "nothing");
      const isFull = REQUIRED.every((name) => fields.includes(name));
      const mayLack = (name: string) => {
        if (name === "Coment") return false;
        if (isOwn) return isFull && name.startsWith("No");
        return name !== "Sentiment" || from.includes("sentiment");
      };
      for (const name of NAMES) {
        const isRefused = !isEmpty && !fields.map(columnOf).includes(name) && !mayLack(name);
        for (const [query, ask] of Object.entries(QUERIES))
          expect([name, query, refuses(table, name, ask)]).toEqual([name, query, isRefused]);
        // A list says what to leave out.
        if (name !== "Coment") table.select(name, "Sentiment").free();
      }
      client.free();
    }),
    { numRuns: timesOf(200) },
  );
});

function refuses(table: Table, name: string, ask: (typeof QUERIES)[string]): boolean {
  try {
    ask(table, name);
  } catch (error) {
    return (error as Error).message.startsWith(`there is no column "${name}"`);
  }
  return false;
}
