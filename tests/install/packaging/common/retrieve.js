/** What every project does: it retrieves all findings of an inspection. */

export async function retrieve(getFindings, options) {
  const [sentiment, topics] = await Promise.all([
    getFindings(42, "sentiment", options),
    getFindings(42, "topics", options),
  ]);
  return { sentiment, topics };
}
