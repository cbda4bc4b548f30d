import { getFindings } from "inspection-findings";
import { retrieve } from "../common/retrieve.js";

/** The findings, by the server. While the project is built, no service responds, and none is needed. */
export function retrieved() {
  return retrieve(getFindings, { baseUrl: process.env.SERVICE ?? "http://127.0.0.1:9/" });
}
