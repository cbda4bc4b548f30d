import { FindingsClient } from "inspection-findings";

/**
 * @param {import("inspection-findings").Options["fetch"]} fetch
 * @param {{ baseUrl: string, token: () => string, renewed: () => string }} service
 * @param {(progress: import("inspection-findings").Progress) => void} onProgress
 */
export async function withPackage(fetch, service, onProgress) {
  const { baseUrl, token, renewed } = service;
  const client = new FindingsClient({
    baseUrl,
    fetch,
    headers: ({ status }) => ({
      authorization: status === 401 ? renewed() : token(),
    }),
    failurePolicy: "collect",
  });
  return client.getFindings(42, "sentiment", { onProgress }).catch((error) => {
    if (error.code !== "partial") throw error;
    return error.resume();
  });
}
