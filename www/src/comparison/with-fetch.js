/**
 * @param {(url: string, init: RequestInit) => Promise<Response>} fetch
 * @param {{ baseUrl: string, token: () => string }} service
 */
export async function withFetch(fetch, { baseUrl, token }) {
  const get = async (path = "") => {
    const headers = { authorization: token() };
    const response = await fetch(`${baseUrl}Findings/42${path}`, { headers });
    if (!response.ok) throw new Error(`Status ${response.status}`);
    return response.json();
  };
  const counts = await get();
  const indexes = [...Array(counts.SentimentPartitions).keys()];
  const requests = indexes.map((index) => get(`/Sentiment/${index}`));
  return (await Promise.all(requests)).flatMap(({ Findings }) => Findings);
}
