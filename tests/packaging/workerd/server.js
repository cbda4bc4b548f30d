import { getFindings } from "inspection-findings";
import { retrieve } from "./common/retrieve.js";

export default {
  async fetch(_request, { SERVICE }) {
    return Response.json(await retrieve(getFindings, { baseUrl: SERVICE }));
  },
};
