import { FindingsClient } from "inspection-findings";
import { retrieve } from "./common/retrieve.js";

const client = new FindingsClient();

export default {
  async fetch(_request, { SERVICE }) {
    const getFindings = (...call) => client.getFindings(...call);
    return Response.json(await retrieve(getFindings, { baseUrl: SERVICE }));
  },
};
