/**
 * @param {(url: string, init: RequestInit) => Promise<Response>} fetch
 * @param {{ url: string, token: () => string }} inspection
 */
export async function withFetch(fetch, { url, token }) {
  const get = async (path = "") => {
    const headers = { authorization: token() };
    const response = await fetch(url + path, { headers });
    if (!response.ok) throw new Error(`Status ${response.status}`);
    return response.json();
  };
  const counts = await get();
  const indexes = [...Array(counts.SentimentPartitions).keys()];
  const requests = indexes.map((index) => get(`/Sentiment/${index}`));
  return (await Promise.all(requests)).flatMap((one) => one.Findings);
}
