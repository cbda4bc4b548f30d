/** The findings in every format of an export, by readers of others: what a format cannot keep, and that the command says so. */

import { expect, test } from "vitest";
import { scenarioOf } from "../../wire/service/bodies.js";
import { contentOf, exported, fake, findingsIn, prepareScene, put, run, serve, silent } from "./command-run.js";
import { type Ending, fileReaders } from "./file-readers.js";

prepareScene();

const ENDINGS = Object.keys(fileReaders) as Ending[];

/** The values of columns, one for each finding. */
type Columns = Record<string, unknown[]>;

interface Export {
  /** The findings of each partition, as JSON. */
  readonly partitions: readonly (readonly string[])[];
  /** What the command line has beside the file. */
  readonly words?: readonly string[];
  /** The file `people.csv`. */
  readonly people?: string;
  readonly columns: Columns;
  /** What is different in a format. */
  readonly except?: Partial<Record<Ending, Columns>>;
  /** What the command says, in the formats where it says something. */
  readonly says?: Partial<Record<Ending, RegExp>>;
}

const ROUNDED =
  /^inspection-findings: integers beyond 2\^53 are rounded, as in JavaScript: "k" \(2 values\), "l" \(1 value\)\n$/;
const REPLACED = /^inspection-findings: halves of characters \(lone surrogates\) in "t" are replaced .*\n$/;

const exports: Record<string, Export> = {
  "columns of dates, which are dates in a workbook if all their texts are": {
    partitions: [
      ['{"n":0,"day":"2026-03-01","at":"2026-03-01T12:00:00Z","some":"2026-03-01"}', '{"n":1}'],
      [],
      ['{"n":2,"day":"2026-12-31","at":null,"some":"soon"}', '{"n":3,"day":"2026-02-28","some":"x"}'],
    ],
    words: ["--columns", "n,day,at,some"],
    columns: {
      n: [0, 1, 2, 3],
      day: ["2026-03-01", null, "2026-12-31", "2026-02-28"],
      at: ["2026-03-01T12:00:00Z", null, null, null],
      some: ["2026-03-01", null, "soon", "x"],
    },
    except: {
      ".xlsx": {
        day: [new Date("2026-03-01"), null, new Date("2026-12-31"), new Date("2026-02-28")],
        at: [new Date("2026-03-01T12:00:00Z"), null, null, null],
      },
    },
  },
  "integers beyond 2^53, which are rounded as in JavaScript, and a line about them": {
    partitions: [
      ['{"k":9007199254740993,"n":1}', '{"k":5,"n":2}'],
      ['{"k":-9007199254740993,"l":[9007199254740993,1]}'],
    ],
    columns: { k: [9007199254740992, 5, -9007199254740992], n: [1, 2, null], l: [null, null, "[9007199254740992,1]"] },
    except: {
      ".xlsx": { k: ["9007199254740992", 5, "-9007199254740992"] },
      ".ndjson": { l: [null, null, [9007199254740992, 1]] },
    },
    says: Object.fromEntries(ENDINGS.map((ending) => [ending, ROUNDED])),
  },
  "a lone surrogate, which only NDJSON has, and the texts beside it": {
    partitions: [['{"t":"\\ud800a","u":"b"}', '{"t":"c"}'], ['{"t":"d","u":["e"]}']],
    columns: { t: ["\ufffda", "c", "d"], u: ["b", null, '["e"]'] },
    except: {
      ".ndjson": { t: ["\ud800a", "c", "d"], u: ["b", null, ["e"]] },
      ".parquet": { u: ['"b"', null, '["e"]'] },
    },
    says: { ".csv": REPLACED, ".xlsx": REPLACED, ".parquet": REPLACED },
  },
  "the values inside objects, whose own cell is empty beside those of other findings": {
    partitions: [
      ['{"Topic":{"Text":"a","Attributes":{}},"n":1}', '{"Topic":{"Text":"b","Attributes":{"x":{"y":{}}}},"n":2}'],
      ['{"Topic":"c","n":3}', '{"Topic":{"Text":"d"},"n":4}', '{"Topic":{},"n":5}'],
    ],
    columns: {
      "Topic.Text": ["a", "b", null, "d", null],
      Topic: [null, null, "c", null, null],
      n: [1, 2, 3, 4, 5],
    },
    // A partition with objects and other values has them as JSON there, too.
    except: {
      ".parquet": { Topic: [null, null, '"c"', '{"Text":"d"}', "{}"] },
    },
  },
  "the columns of --join, missing where the file has no row": {
    partitions: [
      ['{"Id":"a","n":1}', '{"Id":7}', '{ "Id" : 8 }', '{"Id":9}'],
      ['{"n":5}', '{"Id":null,"n":6}', '{"Id":"z"}', '{"Id":true}', '{"Id":["a"]}'],
    ],
    people:
      "Id,Segment,Home.Town,Score,None\n7,seven,,8.50,\n8,odd,=1+1,,\n9,even,Ulm,-3,\na,letter,Bonn,0,\ntrue,yes,,1e3,\n",
    words: ["--join", "people.csv", "--on", "Id"],
    columns: {
      Segment: ["letter", "seven", "odd", "even", null, null, null, null, null],
      "Home\\.Town": ["Bonn", null, "=1+1", "Ulm", null, null, null, null, null],
      Score: [0, 8.5, null, -3, null, null, null, null, null],
      None: Array(9).fill(null),
    },
    except: { ".ndjson": { None: Array(9).fill(undefined) } },
  },
  "only the --columns of the findings that meet --where": {
    partitions: [['{"k":3,"b":1E2,"o":{"x":1.0,"y":2}}', '{"k":4,"b":0}']],
    words: ["--columns", "k, o.x", "--where", '{"b":100}'],
    columns: { k: [3], "o.x": [1] },
  },
};

for (const [what, { partitions, words = [], people, columns, except = {}, says = {} }] of Object.entries(exports)) {
  test.for(ENDINGS)(`%s has ${what}`, async (ending) => {
    serve(partitions);
    if (people !== undefined) put("people.csv", people);
    const name = `findings${ending}`;
    const { code, stderr } = await run([...exported(name), ...words]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(says[ending] ?? /^$/) });
    const { rows, metadata } = await fileReaders[ending](contentOf(name));
    const expected = { ...columns, ...except[ending] };
    const read = Object.keys(expected).map((name) => [name, rows.map((row) => row[name])]);
    expect(Object.fromEntries(read)).toEqual(expected);
    if (words.includes("--columns")) expect(Object.keys(rows[0] ?? {}).sort()).toEqual(Object.keys(expected).sort());
    if (metadata !== undefined) {
      expect(metadata).toEqual({
        "inspection-findings.inspection": "42",
        "inspection-findings.kind": "sentiment",
        "inspection-findings.complete": "true",
        "inspection-findings.columnsTruncated": "false",
        "inspection-findings.integersRounded": `${says[ending] === ROUNDED}`,
        "inspection-findings.roundedColumns": says[ending] === ROUNDED ? '"k" (2 values), "l" (1 value)' : "",
        "inspection-findings.surrogatesReplaced": `${says[ending] === REPLACED}`,
      });
    }
  });
}

test.for([".parquet", ".csv"])(
  "%s has any name of a field, also one that its readers change because it begins with a byte order mark",
  async (ending) => {
    serve([['{"\\ufeff":1,"\\ufeffa":"x","b.c\\\\":2,"":3}']]);
    expect(await run(exported(`findings${ending}`))).toEqual(silent);
    for (const name of ["\ufeff", "\ufeffa", "b\\.c\\\\"])
      expect(contentOf(`findings${ending}`).includes(name), name).toBe(true);
  },
);

const pretty = '{\r\n  "a": 1,\n  "b": [\n    "x"\n  ]\n}';
const odd = [
  '{"D":1,"D":2}',
  '{"a":1.0,"b":1E2}',
  '{ "t" : "\\u00e9\\/\\ud800 [}," }',
  '{"é":["}",{"x":"\\\\"}]}',
  '{"n":-0,"i":1e400}',
  "{}",
];

test("NDJSON has each finding as JSON.parse reads it, on one line", async () => {
  fake.use(scenarioOf([`\ufeff {"Findings": 5, "Findin\\u0067s" :\n[ ${odd.join(" ,\n ")},${pretty}] }`]));
  expect(await run(exported("findings.ndjson"))).toEqual(silent);
  expect(findingsIn("findings.ndjson")).toEqual([...odd, pretty].map((finding) => JSON.parse(finding)));
});
