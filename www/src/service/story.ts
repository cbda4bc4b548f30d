/** The story of the demo: invented comments of the guests of a hotel group, which updates its mobile app in week 7. */

import type { FindingKind, InspectionFinding } from "inspection-findings";
import type { FindingsSize } from "inspection-findings/testing";

/** A finding of the story. Services may send more fields than the documented ones: this one sends the week of the answer. */
type StoryFinding = InspectionFinding & { Week: number };

const weeks = 12;
const weekOfUpdate = 7;

interface Theme {
  /** Null for remarks that no analyst has mapped to a group. */
  group: string | null;
  /** How often guests mention it in comparison with the others, before and since the update. */
  before: number;
  since: number;
  /** One per line: text | topic | expression | expression group | sentiment | frequency before / since the update. */
  remarks: Remark[];
}

interface Remark {
  text: string;
  topic: string | undefined;
  expression: string | undefined;
  expressionGroup: string | null;
  sentiment: -2 | -1 | 0 | 1 | 2;
  before: number;
  since: number;
}

const themes: Theme[] = [
  theme("Staff", 24, 20, [
    "The staff at the front desk were wonderfully friendly. | staff | friendly | Courtesy | 2 | 9",
    "Everyone we asked was helpful. | staff | helpful | Courtesy | 1 | 5",
    "The concierge knew every corner of the town. | concierge | knew every corner | Knowledge | 2 | 3",
    "The night porter was rather rude to us. | night porter | rude | Courtesy | -2 | 2",
    "Nobody called back after my complaint. | complaint | Nobody called back | Responsiveness | -2 | 2",
    "The waiters were all right. | staff | all right | | 0 | 2",
  ]),
  theme("Room", 21, 17, [
    "Our room was spotless. | room | spotless | Cleanliness | 2 | 8",
    "The bed was so comfortable that we overslept. | bed | comfortable | Comfort | 2 | 6",
    "You can hear the lift from the bed. | lift | can hear | Noise | -1 | 3",
    "The bathroom is small. | bathroom | small | Size | -1 | 2",
    "The room looked like the photos. | room | like the photos | | 1 | 2",
    "The carpet was stained. | carpet | stained | Cleanliness | -2 | 1",
  ]),
  theme("Mobile app", 9, 36, [
    "I checked in with the mobile app in seconds. | mobile app | in seconds | Speed | 2 | 7 / 1",
    "The app is handy for ordering breakfast. | mobile app | handy | Ease of use | 1 | 6 / 1",
    "Since the update, the mobile app crashes at check-in. | mobile app | crashes | Reliability | -2 | 0 / 9",
    "Since the update, the digital key no longer opens our door. | digital key | no longer opens | Reliability | -2 | 0 / 7",
    "After the update, the app forgot my booking. | mobile app | forgot my booking | Reliability | -2 | 0 / 4",
    "I cannot find my invoices in the new app. | mobile app | cannot find | Ease of use | -1 | 0 / 4",
    "Logging in to the app takes three attempts. | mobile app | three attempts | Ease of use | -1 | 2 / 4",
    "The new colours of the app are all right. | mobile app | all right | | 0 | 0 / 1",
  ]),
  theme("Breakfast", 14, 11, [
    "Breakfast was delicious, above all the bread. | breakfast | delicious | Taste | 2 | 6",
    "There is a lot to choose from at breakfast. | breakfast | a lot to choose from | Choice | 1 | 5",
    "The coffee was lukewarm. | coffee | lukewarm | Taste | -1 | 4",
    "Breakfast ends too early at the weekend. | breakfast | too early | Hours | -1 | 2",
    "The eggs were as usual. | eggs | as usual | | 0 | 2",
  ]),
  theme("Location", 12, 9, [
    "The hotel is two minutes from the station. | hotel | two minutes from the station | Distance | 2 | 6",
    "We walked to the beach every morning. | beach | walked to | Distance | 1 | 3",
    "The street is loud at night. | street | loud | Noise | -1 | 3",
  ]),
  theme("Price", 9, 8, [
    "The price is fair for what you get. | price | fair | Value | 1 | 5",
    "Parking costs extra, which nobody mentioned. | parking | costs extra | Value | -1 | 4",
    "For this price I expect a desk. | price | expect a desk | Value | -1 | 2",
    "The upgrade was worth every cent. | upgrade | worth every cent | Value | 2 | 2",
  ]),
  theme("Check-in", 6, 7, [
    "Check-in was quick. | check-in | quick | Speed | 1 | 6 / 2",
    "We queued for half an hour at check-in. | check-in | queued for half an hour | Waiting | -2 | 2 / 5",
    "Our room was ready early. | room | ready early | Speed | 2 | 2",
  ]),
  theme("Wi-Fi", 3, 3, [
    "The Wi-Fi is fast enough for video calls. | Wi-Fi | fast enough | Speed | 1 | 3",
    "The Wi-Fi drops every few minutes. | Wi-Fi | drops | Reliability | -2 | 2",
  ]),
  theme(null, 7, 6, [
    "The pool was closed. | pool | closed | Hours | -1 | 4",
    "Our dog was welcome, too. | dog | welcome | Courtesy | 2 | 3",
    "The gym has new machines. | gym | new machines | | 1 | 2",
    "Absolutely loved it! | | loved | Delight | 2 | 3",
    "A disappointing stay. | | disappointing | Disappointment | -2 | 2 / 4",
  ]),
];

const asides = ["It was our third visit.", "We came by train.", "I was here for a fair.", "My sister recommended you."];

function theme(group: string | null, before: number, since: number, lines: string[]): Theme {
  return { group, before, since, remarks: lines.map(remark) };
}

function remark(line: string): Remark {
  const [text = "", topic, expression, group, sentiment, frequency = ""] = line.split("|").map((part) => part.trim());
  const [before = 1, since = before] = frequency.split("/").map(Number);
  return {
    text,
    topic: topic || undefined,
    expression: expression || undefined,
    expressionGroup: group || null,
    sentiment: Number(sentiment) as Remark["sentiment"],
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
  const chosen = new Map<Theme, Remark>();
  for (let remarks = 1 + Math.floor(3 * random()); remarks > 0; remarks--) {
    const theme = weighted(themes, frequency, random);
    chosen.set(theme, weighted(theme.remarks, frequency, random));
  }
  const sentences = [...chosen.values()].map(({ text }) => text);
  if (random() < 0.4) sentences.unshift(asides[Math.floor(asides.length * random())] ?? "");
  const Comment = sentences.join(" ");
  return [...chosen].map(([{ group }, { text, topic, expression, expressionGroup, sentiment }]) => {
    const generic = { Text: sentiment > 0 ? "/PositiveSentiment/" : "/NegativeSentiment/" };
    const part = (part: string) => ({
      Text: part,
      Offset: Comment.indexOf(text) + text.indexOf(part),
      Length: part.length,
    });
    return {
      VariableKey: 7001,
      RespondentKey: 500_000 + guest,
      RespondentId: `G-${guest}`,
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
