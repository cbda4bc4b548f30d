/** Files that a page hands over: what they contain, and what is refused. The formats and the room of a sheet are in tests/unit/command. */

import { type CsvOptions, csvOf, xlsxOf } from "inspection-findings/export";
import { crosstab } from "inspection-findings/survey";
import { letters } from "inspection-findings/survey/compare";
import readWorkbook from "read-excel-file/browser";
import { describe, expect, test, vi } from "vitest";
import { freeAfterTest } from "./clients.js";
import { upTo } from "./inspection.js";
import { FindingsTable } from "./place.js";
import { tableOf } from "./tables.js";

const findings = [
  { Comment: "=1+1", Sentiment: -2, Topic: { Text: "price" }, Tags: ["a", 1] },
  { Comment: 'say "no"; ü', Sentiment: 0.5, Late: true },
  { Comment: "", Sentiment: null },
];
const mark = "\ufeff";

/** The fake time. It never goes back, because the module remembers when its time slice began. */
let clock = 0;

/** Lets each reading of the clock end a time slice, until the test ends. */
function endSlices(): void {
  clock = Math.max(clock, performance.now());
  vi.spyOn(performance, "now").mockImplementation(() => {
    clock += 9;
    return clock;
  });
}

async function csv(what: any, options?: CsvOptions): Promise<string> {
  const bytes = await (await csvOf(what, options)).arrayBuffer();
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

describe("csvOf", () => {
  const lines = [
    '"Comment","Sentiment","Topic.Text","Tags","Late"',
    '"\'=1+1",-2,"price","[""a"",1]",',
    '"say ""no""; ü",0.5,,,true',
    '"",,,,',
    "",
  ];

  test("writes a table, a view and a list of objects alike, and no text that runs as a formula", async () => {
    const table = await tableOf(findings);
    expect((await csvOf(table)).type).toBe("text/csv;charset=utf-8");
    for (const what of [table, findings]) expect(await csv(what)).toBe(mark + lines.join("\r\n"));
    const sorted = [lines[0], lines[2], lines[1], lines[3], ""];
    expect(await csv(table.sortBy("Sentiment", "desc"))).toBe(mark + sorted.join("\r\n"));
  });

  test("writes the named columns in their order, each once, and all below an object", async () => {
    const expected = `${mark}"Topic.Text","Sentiment"\r\n"price",-2\r\n,0.5\r\n,\r\n`;
    const table = await tableOf(findings);
    for (const what of [table, findings]) {
      expect(await csv(what, { columns: ["Topic", "Sentiment", "Topic.Text"] })).toBe(expected);
    }
    expect(await csv(table, { columns: ["NoTopic"] })).toBe(`${mark}"NoTopic"\r\n\r\n\r\n\r\n`);
  });

  test.for<[CsvOptions, string]>([
    [{ separator: ";" }, `${mark}"a";"b"\r\n0,5;"x"\r\n`],
    [{ byteOrderMark: false }, '"a","b"\r\n0.5,"x"\r\n'],
  ])("takes the options %j", async ([options, expected]) => {
    expect(await csv([{ a: 0.5, b: "x" }], options)).toBe(expected);
  });

  test("writes a cross tabulation as it was asked for: counts with totals, or shares with bases, letters and what they mean", async () => {
    const rows = [
      { G: "a", S: "x", P: 1 },
      { G: "a", S: "y", P: 2 },
      { G: "b", S: "y", P: 3 },
      { G: "b", P: 4 },
      { G: "a", S: "x", P: 5 },
    ];
    const table = await tableOf(rows);
    const lines = async (result: object, options?: CsvOptions) => (await csv(result, options)).trim().split("\r\n");
    const counts = crosstab(table, "G", "S");
    expect(await lines(counts)).toEqual([
      `"","x","y","(none)","total"`,
      '"a",2,1,0,3',
      '"b",0,1,1,2',
      '"total",2,2,1,5',
    ]);
    const heads = [`"","x","y","(none)"`, '"Base: findings",2,2,1'];
    expect(await lines(counts, { values: "share" })).toEqual([...heads, '"a",100%,50%,0%', '"b",0%,50%,100%']);
    expect(await lines(crosstab(table, ["G", "S"], { all: {} }))).toContain('"a · x",2,2');
    const top = await lines(crosstab(table, "G", { all: {} }, { top: 1 }));
    expect(top.at(-1)).toBe('"1 further rows are left out, or united in one",,');
    const byRow = crosstab(table, "G", "S", { share: "row" });
    expect(await lines(crosstab(table, "G", "S", { share: "total" }))).toContain('"Base: findings",5,5,5');
    expect(await lines(byRow, { separator: ";" })).toContain('"a";3;66,6667%;33,3333%;0%');
    const weight = new Map(rows.map(({ P }) => [P, P === 1 ? 3 : 1]));
    const compare = letters({ level: 0.5, correction: "holm" });
    const signed = crosstab(table, "G", "S", { distinct: "P", weight, compare, leastBase: 2 });
    expect(await lines(JSON.parse(JSON.stringify(signed)))).toEqual([
      `"","x (A)","x (A) sig.","y (B)","y (B) sig.","(none)","(none) sig."`,
      '"Base: people",2,,2,,1,',
      '"Base: weighted",4,,2,,1,',
      '"Effective base",1.6,,2,,1,',
      '"a",100%,"(B)",50%,,"*",',
      '"b",0%,,50%,"(A)","*",',
      '"Significance: 50 %, two-sided z tests of each pair of columns on effective bases; correction: holm; ( ) fewer than 5 expected; * base below 2",,,,,,',
    ]);
    const beside = await lines(crosstab(table, "G", "S", { distinct: "P" }), { values: "interval" });
    // Of R: prop.test(1, 2, correct = FALSE), prop.test(2, 2, correct = FALSE).
    expect(beside[2]).toBe('"a",100%,34.238%,100%,50%,9.4531%,90.5469%,0%,0%,79.3451%');
    expect([beside[0], beside.at(-1)?.split(",")[0]]).toEqual([
      '"","x","x low","x high","y","y low","y high","(none)","(none) low","(none) high"',
      '"Intervals: 95 % (Wilson)"',
    ]);
    const twice = [
      { key: "x", total: 1 },
      { key: "x", total: 1 },
    ];
    const forged = { rows: [], columns: twice, cells: [], total: 2 };
    expect((await lines(forged))[0]).toBe(`"","x","x 2","total"`);
    const ofShare = { ...forged, rows: [{ key: "a" }], cells: [{ share: "</v>" }, {}], values: "share" };
    expect((await lines(ofShare)).at(-1)).toBe('"a",,');
    const [sheet] = await readWorkbook(await xlsxOf(signed));
    expect(sheet?.data.slice(4, 6)).toEqual([
      ["a", 1, "(B)", 0.5, null, "*", null],
      ["b", 0, null, 0.5, "(A)", "*", null],
    ]);
  });

  const many = [
    { day: new Date(0), big: 2n ** 70n, none: undefined, call: () => 1, inner: { a: null }, empty: null },
    { inner: { b: [1n, null, undefined, Number.NaN] } },
  ];
  const names = '"day","big","none","call","inner.a","empty","inner.b"';
  const first = '"1970-01-01T00:00:00.000Z",1180591620717411303424,,,,,';
  test.for<[what: string, rows: any, columns: string[] | undefined, file: string]>([
    [
      "what JSON keeps of an object, and all digits of a bigint",
      many,
      undefined,
      `${names}\r\n${first}\r\n,,,,,,"[1,null,null,null]"`,
    ],
    ["no row", [], undefined, ""],
    [
      "an empty cell for a number that JSON lacks",
      [{ a: Number.NaN, b: 1 / 0, c: -1 / 0, d: -0 }],
      undefined,
      '"a","b","c","d"\r\n,,,-0',
    ],
    ["a key with a dot as it is", [{ "No. of people": 3, a: { b: 1 } }], undefined, '"No. of people","a.b"\r\n3,1'],
    ["a column that is named by its key", [{ "No. of people": 3, a: 1 }], ["No. of people"], '"No. of people"\r\n3'],
    ["two columns that only a backslash tells apart", [{ "a.b": 1, a: { b: 2 } }], undefined, '"a\\.b","a.b"\r\n1,2'],
  ])("writes of a list %s", async ([, rows, columns, file]) => {
    expect(await csv(rows, columns && { columns })).toBe(`${mark}${file}\r\n`);
  });

  test("writes an empty cell for a number of the service that is too large", async () => {
    const table = await tableOf('[{"a":1e400,"b":1}]');
    expect(await csv(table)).toBe(`${mark}"a","b"\r\n,1\r\n`);
    expect((await readWorkbook(await xlsxOf(table)))[0]?.data[1]).toEqual([null, 1]);
  });

  test("takes no field for one inside an object whose name ends with a backslash", async () => {
    const table = await tableOf([{ "a.b": 1 }]);
    await expect(csvOf(table, { columns: ["a\\"] })).rejects.toThrow(RangeError);
  });
});

describe("xlsxOf", () => {
  // P45
  test("writes a table and a list of objects alike, into a sheet with a name, and dates only where they are named", async () => {
    expect((await xlsxOf(findings)).type).toMatch(/^application\/vnd\.openxmlformats-.+\.sheet$/);
    const dated = findings.map((finding) => ({ ...finding, at: "2026-03-01", text: "2026-03-01", old: "0026-03-01" }));
    for (const what of [await tableOf(dated), dated]) {
      const [sheet] = await readWorkbook(await xlsxOf(what, { sheetName: 'Wave "1" & 2', dates: ["at", "old"] }));
      const day = new Date("2026-03-01");
      expect(sheet).toEqual({
        sheet: 'Wave "1" & 2',
        data: [
          ["Comment", "Sentiment", "Topic.Text", "Tags", "at", "text", "old", "Late"],
          ["=1+1", -2, "price", '["a",1]', day, "2026-03-01", "0026-03-01", null],
          ['say "no"; ü', 0.5, null, null, day, "2026-03-01", "0026-03-01", true],
          [null, null, null, null, day, "2026-03-01", "0026-03-01", null],
        ],
      });
    }
  });

  test("refuses more rows than a sheet has before it reads any", async () => {
    const onProgress = vi.fn();
    const table = freeAfterTest(await FindingsTable.from(upTo(1024).map(() => ({}))));
    const many = freeAfterTest(FindingsTable.concat(Array(1024).fill(table)));
    const message = "a sheet has room for 1048575 rows, and there are at least 1048576";
    await expect(xlsxOf(many, { onProgress })).rejects.toThrow(new RangeError(`${message}: use CSV instead`));
    expect(onProgress).not.toHaveBeenCalled();
  });

  test("says what to do where the browser cannot compress", async () => {
    vi.stubGlobal("CompressionStream", undefined);
    await expect(xlsxOf(findings)).rejects.toThrow("this browser has no CompressionStream: use csvOf instead");
    expect(await csv([{ a: 1 }])).toBe(`${mark}"a"\r\n1\r\n`);
  });
});

type Refusal = [what: string, given: unknown, options: object, message: string | RegExp];
const circle: any = {};
circle.self = circle;
const ofBoth: Refusal[] = [
  ["what is neither", 7, {}, /must be a FindingsTable, a result of crosstab or a list of objects; got a number/],
  ["an object", { a: 1 }, {}, "must be a FindingsTable, a result of crosstab or a list of objects"],
  ["a list of texts", ["a"], {}, "each row must be an object; got a string"],
  ["a Map in a list", [new Map()], {}, "each row must be an object; got a Map"],
  ["an object in itself", [circle], {}, "more than 64 levels: does it contain itself?"],
  ["an unknown option", [], { seperator: ";" }, 'unknown option "seperator"'],
  ["a signal that is none", [], { signal: {} }, "signal must be an AbortSignal"],
  ["progress that is no function", [], { onProgress: 1 }, "onProgress must be a function"],
  ["columns that are no list", [], { columns: 7 }, "columns must be a list of names of columns"],
  ["a name that is no text", [], { columns: [1] }, "each name of columns must be a string"],
  ["a column that no object has", [{ a: 1 }], { columns: ["b"] }, 'each name of columns must be one of a; got "b"'],
  ["values of a list", [], { values: "count" }, "values is for cross tabulations"],
  [
    "intervals of findings",
    { rows: [], columns: [], cells: [], counts: "findings" },
    { values: "interval" },
    "pass distinct",
  ],
  ["unknown values", [], { values: "mean" }, 'values must be "count", "share" or "interval"'],
  ["a broken cross tabulation", { rows: [1], columns: [1], cells: [] }, {}, "got 0 cells for 1 rows"],
  ["an empty cell", { rows: [{}], columns: [{}], cells: [null] }, {}, "what is exported must be a result of crosstab"],
  ["columns of a cross tabulation", { rows: [], columns: [], cells: [] }, { columns: [] }, "leave columns out"],
];
const ofCsv: Refusal[] = [
  ["another separator", [], { separator: "|" }, 'separator must be "," or ";"'],
  ["a wrong byteOrderMark", [], { byteOrderMark: "no" }, "byteOrderMark must be true or false"],
];
const ofXlsx: Refusal[] = [
  ["dates in no column", [{ a: 1 }], { dates: ["b"] }, 'dates names "b", which is no column of the file'],
  ...["", "x".repeat(32), "a/b", "a:b", "'a", "a'", "a\n"].map(
    (sheetName): Refusal => [
      `the sheet name ${JSON.stringify(sheetName)}`,
      ...([[], { sheetName }, "sheetName must be a text of 1 to 31 characters"] as const),
    ],
  ),
];

describe.each([
  ["csvOf", csvOf, ofCsv],
  ["xlsxOf", xlsxOf, ofXlsx],
] as [string, (what: any, options?: any) => Promise<Blob>, Refusal[]][])("%s", (_, write, own) => {
  test.each([...ofBoth, ...own])("refuses %s", async (_, what, options, message) => {
    await expect(write(what, options)).rejects.toThrow(message);
  });

  test("refuses a column that a table lacks with the name that was probably meant, and a freed table", async () => {
    const table = await FindingsTable.from([{ Comment: "a" }]);
    await expect(write(table, { columns: ["comment"] })).rejects.toThrow('no column "comment" (did you mean Comment?)');
    table.free();
    await expect(write(table)).rejects.toThrow("this FindingsTable has been freed");
  });

  test("writes a finding without columns once the columns are named, as the error says", async () => {
    const table = await tableOf('[{"a":1},{"a":2,"D":3,"D":4}]');
    await expect(write(table)).rejects.toThrow(
      'no column for the field "D": pass { columns: table.columns } to leave it',
    );
    expect(await (await csvOf(table, { columns: table.columns, byteOrderMark: false })).text()).toBe(
      `"a"\r\n1\r\n2\r\n`,
    );
    expect((await write(table, { columns: table.columns })).size).toBeGreaterThan(0);
  });

  const reason = new Error("enough");
  const rows = upTo(2_000).map((a) => ({ a }));

  test("rejects with the reason of a signal, before and during the work, and with what a callback throws or rejects with", async () => {
    await expect(write(findings, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    endSlices();
    const controller = new AbortController();
    const onProgress = ({ rowsDone }: { rowsDone: number }) => void (rowsDone > 0 && controller.abort(reason));
    await expect(write(rows, { signal: controller.signal, onProgress })).rejects.toBe(reason);
    const thrown = () => {
      throw reason;
    };
    await expect(write(rows, { onProgress: thrown })).rejects.toBe(reason);
    await expect(write(rows, { onProgress: () => Promise.reject(reason) })).rejects.toBe(reason);
  });

  test("looks at the signal after each object of a list that ends a time slice", async () => {
    endSlices();
    const controller = new AbortController();
    let read = 0;
    const counted = rows.map(() => ({
      get a() {
        read++;
        if (read === 3) controller.abort(reason);
        return 1;
      },
    }));
    await expect(write(counted, { signal: controller.signal })).rejects.toBe(reason);
    expect(read).toBe(3);
  });

  test("rejects for a table that is freed meanwhile", async () => {
    endSlices();
    const table = await FindingsTable.from(rows);
    const onProgress = ({ rowsDone }: { rowsDone: number }) => void (rowsDone > 0 && table.free());
    await expect(write(table, { onProgress })).rejects.toThrow("has been freed");
  });

  test("lets other tasks run between slices of at most 128 rows, and reports each slice, not backwards", async () => {
    endSlices();
    let turns = 0;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      turns++;
      port2.postMessage(undefined);
    };
    port2.postMessage(undefined);
    const done: number[] = [];
    await write(freeAfterTest(await FindingsTable.from(rows)), {
      onProgress: ({ rowsDone, rows }: { rowsDone: number; rows: number }) => {
        expect(rows).toBe(2_000);
        done.push(rowsDone);
      },
    });
    port1.close();
    // There are 16 slices. An engine may begin the next one before the task of a message.
    expect(turns).toBeGreaterThanOrEqual(8);
    expect([done[0], done.at(-1)]).toEqual([0, 2_000]);
    const steps = done.slice(1).map((rows, at) => rows - (done[at] ?? 0));
    expect([Math.min(...steps) > 0, Math.max(...steps) <= 128]).toEqual([true, true]);
  });
});
