/** Collecting: the partial result of a call with failed partitions, and how it resumes. */

import { FindingsClient, FindingsError, getFindings } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { allFindings, countsOf, findingsOf, findingsOfAll, upTo } from "./inspection.js";
import { failureOf, rejectionOf } from "./outcome.js";
import type { Table } from "./tables.js";
import { refused, responseOf, Wire } from "./wire.js";
import { collect, refusing } from "./wires";

/** The error of a call that collects, whose service refuses the partitions with these indexes until the test repairs them. */
async function partial(
  partitions: number,
  indexes: number[],
  call = (client: FindingsClient): Promise<unknown> => client.getFindings(1, "topics"),
) {
  const { wire, refusals } = refusing(indexes, partitions);
  const client = clientOf(wire, collect);
  const error: any = await failureOf(call(client));
  expect([error.code, missingOf(error)]).toEqual(["partial", indexes]);
  const { length } = wire.asked;
  return { client, error, refusals, later: () => wire.indexes.slice(length) };
}

function missingOf({ failures = [] }: FindingsError) {
  return failures.map(({ partitionIndex }) => partitionIndex);
}

// P4
test("a call that collects fetches what does not fail, rejects with all of it and each failure, and resumes with the rest", async () => {
  const half = responseOf({ Findings: findingsOf(3), errors: ["half"] });
  const responses = new Map([7, 2].map((index) => [index, refused(404)])).set(3, half);
  const wire = new Wire({ partitions: 10, respond: ({ index }) => responses.get(index) });
  const error = await failureOf(clientOf(wire, collect).getFindings(1, "topics", { concurrency: 2 }));
  expect(error).toMatchObject({ code: "partial", kind: "topics", inspectionKey: 1 });
  expect(error.findings).toEqual(findingsOfAll([0, 1, 4, 5, 6, 8, 9]));
  expect(wire.indexes.toSorted((one, other) => one - other)).toEqual([-1, ...upTo(10)]);
  expect(missingOf(error)).toEqual([2, 3, 7]);
  const [first, second] = (error.failures ?? []).map((failure) => failure.error);
  expect(error.message).toBe(
    `topics findings of inspection 1: missing 3 of 10 partitions; call resume() to fetch them. First failure: ${first?.message}`,
  );
  expect(first).toBeInstanceOf(FindingsError);
  expect(first).toMatchObject({ code: "http", status: 404, partitionIndex: 2, messages: ["Refused with 404."] });
  expect(second).toMatchObject({ code: "service", partitionIndex: 3, findings: findingsOf(3) });
  expect(first?.resume).toBeUndefined();
  responses.clear();
  const { length } = wire.asked;
  expect(await error.resume?.()).toEqual(allFindings(10));
  expect(wire.indexes.slice(length).toSorted()).toEqual([-1, 2, 3, 7]);
});

describe("resume", () => {
  test("of loadTable resolves with another table, while that of the error is in use and after it is freed", async () => {
    const { error, refusals } = await partial(6, [1, 2], (client) => client.loadTable(1, "topics"));
    const { table } = error;
    refusals.delete(1);
    const lengths = new Set<number>();
    const onPartition = () => void lengths.add(table.toArray().length);
    const again = await failureOf(error.resume({ onPartition }));
    expect(lengths).toEqual(new Set([8]));
    table.free();
    expect(freeAfterTest(again.table as Table).toArray()).toEqual(findingsOfAll([0, 1, 3, 4, 5]));
    refusals.clear();
    expect(freeAfterTest(await error.resume()).toArray()).toEqual(allFindings(6));
  });

  test("takes options that win over the call's options", async () => {
    const [ofCall, ofResume] = [vi.fn(), vi.fn()];
    const options = { onProgress: ofCall, concurrency: 1 };
    const { error } = await partial(4, [1, 2], (client) => client.getFindings(1, "topics", options));
    ofCall.mockClear();
    const other = new Wire({ partitions: 4 });
    expect(await error.resume({ onProgress: ofResume, fetch: other.fetch })).toEqual(allFindings(4));
    expect([ofCall.mock.calls, ofResume.mock.calls.map(([{ partitionsDone }]) => partitionsDone)]).toEqual([
      [],
      [2, 3, 4],
    ]);
    expect([other.indexes, other.most]).toEqual([[-1, 1, 2], 1]);
  });

  const signalled: Record<string, (fetch: Wire["fetch"], signal: AbortSignal) => Promise<unknown>> = {
    "the call": (fetch, signal) => new FindingsClient({ fetch }).getFindings(1, "topics", { signal, ...collect }),
    "the client": (fetch, signal) => new FindingsClient({ fetch, signal }).getFindings(1, "topics", collect),
    "a plain function": (fetch, signal) => getFindings(1, "topics", { fetch, signal, ...collect }),
  };

  test.for(Object.entries(signalled))(
    "keeps the signal of %s, rejects with its reason, and continues with null or another signal",
    async ([, call]) => {
      const { wire, refusals } = refusing([1]);
      const controller = new AbortController();
      const { resume } = await rejectionOf(call(wire.fetch, controller.signal));
      refusals.clear();
      controller.abort("enough");
      const { length } = wire.asked;
      expect(await rejectionOf(resume())).toBe("enough");
      expect(await rejectionOf(resume({ fetch: undefined, signal: undefined }))).toBe("enough");
      expect(wire.asked).toHaveLength(length);
      expect(await resume({ signal: null })).toEqual(allFindings(3));
      expect(await resume({ signal: new AbortController().signal })).toEqual(allFindings(3));
    },
  );

  test("is incomplete when the service has other findings of this kind now, and not for those of the other kind", async () => {
    const { error } = await partial(3, [1]);
    const resumed = (counts: object) => error.resume({ fetch: new Wire({ counts }).fetch });
    const changed = await failureOf(resumed({ TopicPartitions: 3, TopicFindings: 7 }));
    expect(changed).toMatchObject({ code: "incomplete", expected: 7, received: 4, kind: "topics", inspectionKey: 1 });
    expect(changed.message).toMatch(/the counts have changed from 3 partitions with 6 findings to.*: call again/);
    const others = { ...countsOf(3), SentimentPartitions: 99, SentimentFindings: 999 };
    expect(await resumed(others)).toEqual(allFindings(3));
  });

  test("called twice at once fetches each partition once, and resolves with the whole twice", async () => {
    const { error, refusals, later } = await partial(8, [1, 3, 5]);
    refusals.clear();
    const [one, other] = await Promise.all([error.resume(), error.resume()]);
    expect([one, other]).toEqual([allFindings(8), allFindings(8)]);
    expect(other).not.toBe(one);
    expect(later().toSorted()).toEqual([-1, -1, 1, 3, 5]);
  });

  test("rejects with a TypeError after free() of the client", async () => {
    const { client, error, later } = await partial(5, [1]);
    client.free();
    expect(await rejectionOf(error.resume())).toEqual(
      new TypeError("this FindingsClient has been freed: create another one"),
    );
    expect(later()).toEqual([]);
  });
});
