// The status of a batch: comments that are analysed together.

import type { BatchEndpoint } from "./endpoint.js";

/** The statuses of the API. */
const codes = { NotFound: 0, Analyzing: 3, Success: 4, Failure: 5 };

/** The number of requests for which the analysis is under way. */
const requestsUntilDone = 2;

/**
 * Returns a `BatchStatusResponse`. Batches have the keys from 1 on.
 *
 * @param count the number of requests for this batch so far
 * @param hasFailed whether the analysis has failed
 */
export function batchStatus({ inspectionKey, batchKey }: BatchEndpoint, count: number, hasFailed: boolean) {
  const [InspectionKey, BatchKey] = [Number(inspectionKey), Number(batchKey)];
  const ended = hasFailed ? "Failure" : count > requestsUntilDone ? "Success" : "Analyzing";
  const Status: keyof typeof codes = BatchKey > 0 ? ended : "NotFound";
  return {
    TotalRespondents: BatchKey > 0 ? 100 : 0,
    StatusCode: codes[Status],
    Status,
    FailureMessage: Status === "Failure" ? "The analysis of this batch has failed." : null,
    InspectionKey,
    BatchKey,
    errors: null,
  };
}
