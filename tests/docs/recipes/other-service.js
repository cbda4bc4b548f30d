/** A client for a service with other URLs, other counts and other findings. */

import { FindingsClient } from "inspection-findings";

export const client = new FindingsClient({
  baseUrl: "https://reviews.example/",
  readCounts: ({ pages, total }) => ({ topics: { partitions: pages, findings: total } }),
  async fetch(url, init) {
    const [, key, page] = String(url).match(/Findings\/(\d+)(?:\/Topics\/(\d+))?$/) ?? [];
    const path = page === undefined ? `reviews/${key}` : `reviews/${key}?page=${page}`;
    const response = await fetch(`https://reviews.example/${path}`, init);
    if (page === undefined || !response.ok) return response;
    const { items } = await response.json();
    const Findings = items.map((/** @type {Record<string, string>} */ { text, subject }) => ({
      Comment: text,
      Topic: { Text: subject },
    }));
    return Response.json({ Findings });
  },
});
