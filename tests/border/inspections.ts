/** Inspections of random findings, and the service that has them in memory. */

import type { Random } from "../random.js";

export const baseUrl = "https://service.invalid/";

/** The names of all columns that a finding may have. */
const names = [
  "Comment",
  "RespondentKey",
  "Sentiment",
  "Tags",
  "Topic",
  "Topic.Start",
  "Topic.Text",
  "TopicGroup",
  "Weight",
];

/** The names of the columns that a call with the option `columns` keeps. */
export function allowedOf(columns: string[] | undefined) {
  return names.filter((name) => (columns ?? [name]).some((one) => one === name || name.startsWith(`${one}.`)));
}

/** What the findings of an inspection have in common. */
export interface Traits {
  /** How many topic groups there are: few have large counts. */
  readonly groups: number;
  /** How often a comment is a new one. */
  readonly novelty: number;
}

/** Draws a finding. Some keys are in some partitions only, some texts in one alone; any sum of its numbers is exact. */
export function drawn(random: Random, { groups, novelty }: Traits, index: number) {
  const comment = () =>
    `${index}: ${random.next()} ${random.oneOf(["quiet rooms", "a café", "部屋", "😀 ".repeat(40)])}`;
  const finding: Record<string, unknown> = {
    RespondentKey: random.oneOf([1, 2 ** 29, -(2 ** 29) - 1, 2 ** 31, 2 ** 40]) - random.integer(0, 3),
    TopicGroup: random.chance(0.1) ? null : `Group ${random.integer(1, groups)}`,
    Comment: random.chance(novelty) ? comment() : random.oneOf(["good", "", "schön", "\ud800"]),
    Sentiment: random.integer(-2, 2),
  };
  if (index % 3 > 0)
    finding.Topic = random.chance(0.2) ? null : { Text: `Topic ${random.integer(0, 30)}`, Start: random.integer(0, 9) };
  if (random.chance(0.2)) finding.Tags = [random.integer(0, 2), { deep: random.oneOf(["", "tag"]) }];
  if (index % 4 === 3) finding.Weight = random.oneOf([0.5, 2 ** -9, 3, 2 ** 31 + 0.5, null]);
  return finding;
}

/** A service that notes which partitions are requested, in order. A subclass may let one wait or fail. */
export class Service {
  readonly requested = new Set<number>();
  readonly #partitions: object[][];

  constructor(partitions: object[][]) {
    this.#partitions = partitions;
  }

  readonly fetch = async (href: string) => {
    const index = href.match(/\/Sentiment\/(\d+)$/)?.[1];
    if (index !== undefined) return this.partition(Number(index));
    const [partitions, findings] = [this.#partitions.length, this.#partitions.flat().length];
    return Response.json({ SentimentPartitions: partitions, SentimentFindings: findings });
  };

  protected async partition(index: number) {
    this.requested.add(index);
    return Response.json({ Findings: this.#partitions[index] });
  }
}
