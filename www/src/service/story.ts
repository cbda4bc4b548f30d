/** The story of the demo: invented comments of the guests of a hotel group, which updates its mobile app in week 7. */

import type { FindingKind, InspectionFinding } from "inspection-findings";
import type { FindingsSize } from "inspection-findings/testing";
import story from "./story.json" with { type: "json" };

/** A finding of the story. Services may send more fields than the documented ones: this one sends the week of the answer. */
type StoryFinding = InspectionFinding & { Week: number };

const weeks = 12;
const weekOfUpdate = 7;

/** Each remark is text | topic | expression | expression group | sentiment | frequency before / since the update. */
const themes = story.themes.map((theme) => ({ ...theme, remarks: theme.remarks.map(remarkOf) }));

function remarkOf(line: string) {
  const [text = "", topic, expression, group, sentiment, frequency = ""] = line.split("|").map((part) => part.trim());
  const [before = 1, since = before] = frequency.split("/").map(Number);
  return {
    text,
    topic: topic || undefined,
    expression: expression || undefined,
    expressionGroup: group || null,
    sentiment: Number(sentiment) as NonNullable<InspectionFinding["Sentiment"]>,
    before,
    since,
  };
}

/** Makes the findings of a partition: the same ones at each call. Guests answer in the order of the weeks. */
export function storyPartition(
  kind: FindingKind,
  index: number,
  { findings, partitions }: FindingsSize,
): StoryFinding[] {
  const start = Math.floor((index * findings) / partitions);
  const end = Math.floor(((index + 1) * findings) / partitions);
  const random = randomOf(index + 1);
  const made: StoryFinding[] = [];
  for (let guest = start; made.length < end - start; guest++) {
    const week = 1 + Math.floor((weeks * (start + made.length)) / findings);
    made.push(...findingsOf(kind, guest, week, random));
  }
  return made.slice(0, end - start);
}

function findingsOf(kind: FindingKind, guest: number, week: number, random: () => number): StoryFinding[] {
  const frequency = week < weekOfUpdate ? "before" : "since";
  const chosen = new Map<(typeof themes)[number], ReturnType<typeof remarkOf>>();
  for (let remarks = 1 + Math.floor(3 * random()); remarks > 0; remarks--) {
    const theme = weighted(themes, frequency, random);
    chosen.set(theme, weighted(theme.remarks, frequency, random));
  }
  const sentences = [...chosen.values()].map(({ text }) => text);
  if (random() < 0.4) sentences.unshift(story.asides[Math.floor(story.asides.length * random())] ?? "");
  const Comment = sentences.join(" ");
  // Each guest comments on two stays.
  const person = Math.floor(guest / 2);
  return [...chosen].map(([{ group }, { text, topic, expression, expressionGroup, sentiment }]) => {
    const generic = { Text: sentiment > 0 ? "/PositiveSentiment/" : "/NegativeSentiment/" };
    const part = (part: string) => ({
      Text: part,
      Offset: Comment.indexOf(text) + text.indexOf(part),
      Length: part.length,
    });
    return {
      VariableKey: 7001,
      RespondentKey: 500_000 + person,
      RespondentId: `G-${person}`,
      StringKey: 9_000_000 + guest,
      Week: week,
      TopicGroup: topic === undefined ? null : group,
      ExpressionGroup: expressionGroup,
      ...(topic === undefined ? { NoTopic: true } : {}),
      Comment,
      Topic: topic === undefined ? generic : { Text: topic },
      Expression: expression === undefined ? generic : part(expression),
      Extract: part(text),
      ...(kind === "sentiment" ? { Sentiment: sentiment } : {}),
    };
  });
}

function weighted<Item extends Record<"before" | "since", number>>(
  items: readonly Item[],
  frequency: "before" | "since",
  random: () => number,
): Item {
  let left = random() * items.reduce((sum, item) => sum + item[frequency], 0);
  for (const item of items) {
    left -= item[frequency];
    if (left < 0) return item;
  }
  return items[0] as Item;
}

/** A generator of random numbers from 0 to 1, always the same for a seed (Mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
