/** The contenders: ways to fetch all sentiment findings of an inspection, by this package and without it. */

import ky from "ky";
import pMap from "p-map";

/** All findings, in whatever form. */
export type Result = { readonly length: number; free?: () => void };
type Contender = (inspectionKey: number, headers?: Record<string, string>) => Promise<Result>;

/** The contender with which all others are compared. */
export const baseline = "Promise.all + response.json()";

/** The contenders without an option. */
export const defaults = [baseline, "getFindings", "loadTable"];

export const contenders: Record<string, Contender> = {
  [baseline]: async (key, headers) => {
    const get = async (path: string) => {
      const response = await fetch(path, { headers });
      if (!response.ok) throw new Error(`${path} was answered with status ${response.status}`);
      return response.json();
    };
    return (await Promise.all(pathsOf(key, await get(`Findings/${key}`)).map(get))).flatMap(findingsOf);
  },
  "p-map + ky": async (key, headers) => {
    const service = ky.create({ baseUrl: document.baseURI, headers });
    const paths = pathsOf(key, await service.get(`Findings/${key}`).json());
    return (await pMap(paths, (path) => service.get(path).json(), { concurrency: 6 })).flatMap(findingsOf);
  },
  getFindings: byPackage("getFindings"),
  loadTable: byPackage("loadTable"),
  "getFindings, worker: false": byPackage("getFindings", { worker: false }),
  "loadTable, worker: false": byPackage("loadTable", { worker: false }),
};

/** A call of the package. */
function byPackage(call: "getFindings" | "loadTable", options?: { worker?: boolean }): Contender {
  return async (key, headers) => {
    const { FindingsClient } = await import("inspection-findings");
    const client = new FindingsClient({ ...options, ...(headers && { headers: () => headers }) });
    return client[call](key, "sentiment");
  };
}

function findingsOf({ Findings }: any) {
  return Findings;
}

function pathsOf(key: number, { SentimentPartitions }: any) {
  return Array.from({ length: SentimentPartitions }, (_, index) => `Findings/${key}/Sentiment/${index}`);
}
