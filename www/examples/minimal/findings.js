import { getFindings, getPartition, getPartitionCounts } from "../../../dist/index.js";
import { createFakeService } from "../../../dist/testing.js";

// The fake service stands in for the real API. For your own service, pass its URL and the token that it issued:
// const service = { baseUrl: "https://service.example/cxi/", headers: { Authorization: bearerToken } };
const { baseUrl, fetch } = createFakeService({ scenario: "jittered" });
const service = { baseUrl, fetch };

/** How many partitions and findings the inspection has. */
export const counts = () => getPartitionCounts(42, service);

/** The findings of one partition. @param {number} index */
export const partition = (index) => getPartition(42, "sentiment", index, service);

/** The findings of all partitions, joined in the order of the partitions. */
export const findings = () => getFindings(42, "sentiment", service);
