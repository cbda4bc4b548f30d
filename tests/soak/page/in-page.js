/** The service of retrievals whose bodies the page decodes: an option `fetch` for each. */

import { Traffic } from "../../browser/traffic.js";
import { baseUrl, faultyFetch } from "./service.js";

/** @type {Traffic[]} of retrievals with requests in flight */
let traffics = [];

/** @type {import("./retrievals.js").Runtime} */
export const inPage = {
  deaths: 0,
  options: { baseUrl, worker: false },
  serve({ seeds, probability }) {
    /** @type {Set<string>} */
    const codes = new Set();
    const traffic = new Traffic(faultyFetch({ seeds, probability, mayCause: (code) => codes.add(code) }));
    traffics.push(traffic);
    return { options: { fetch: traffic.fetch }, codes, end() {} };
  },
  async kill() {},
  async held() {
    traffics = traffics.filter(({ open }) => open > 0);
    return { requests: traffics.reduce((sum, { open }) => sum + open, 0) };
  },
};
