/** The retrieval in a process, whose environment names the service and the file for the result. */

import { writeFileSync } from "node:fs";
import process from "node:process";
import { retrieve } from "./retrieve.js";

export async function retrieveInProcess(getFindings) {
  const findings = await retrieve(getFindings, { baseUrl: process.env.SERVICE });
  writeFileSync(String(process.env.RESULT), JSON.stringify(findings));
}
