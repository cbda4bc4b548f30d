import { getFindings } from "inspection-findings";
import { retrieve } from "./common/retrieve.js";

export default {
  async fetch({ url }) {
    return Response.json(await retrieve(getFindings, { baseUrl: new URL(url).searchParams.get("service") }));
  },
};
