import { FindingsClient } from "inspection-findings";
import { retrieve } from "./common/retrieve.js";

const client = new FindingsClient();

export default {
  async fetch(_request, { SERVICE: baseUrl }) {
    const own = await fetch(`${baseUrl}Findings/42`);
    // Only the request that has fetched a response can read it.
    const headers = async () => ({ "x-length": String((await own.clone().text()).length) });
    const getFindings = (...call) => client.getFindings(...call);
    return Response.json(await retrieve(getFindings, { baseUrl, headers }));
  },
};
