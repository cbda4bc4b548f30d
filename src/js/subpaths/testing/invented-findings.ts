// The invented findings of one partition. They depend on the seed, the kind, the index and the number only.

import type { FindingKind, InspectionFinding } from "../../core/table/finding.js";
import type { Remark } from "./language/language.js";
import { Random } from "./random.js";
import { commentOf, type Sentence, type Verbatim, type Wording, writeVerbatim } from "./verbatim.js";

/** A partition of invented findings. */
export interface Which {
  readonly seed: number;
  readonly kind: FindingKind;
  readonly partitionIndex: number;
  /** The number of findings in the partition. */
  readonly count: number;
}

/** The fields that all findings of a verbatim begin with. */
export type Keys = Pick<InspectionFinding, "VariableKey" | "RespondentKey" | "RespondentId" | "StringKey">;

/** What all findings of a verbatim have in common. */
export interface About {
  readonly keys: Keys;
  /** Whether optional fields are written out. */
  readonly writesFalse: boolean;
}

/** A sentence with a finding. */
export interface Found extends Sentence {
  readonly wording: Wording & { readonly remark: Remark };
}

/** The findings of one verbatim. */
export interface Group {
  readonly about: About;
  readonly verbatim: Verbatim;
  readonly found: readonly Found[];
}

/** The maximum number of findings in a partition, because each of its verbatims has its own key. */
export const maxFindings = 1_000_000;

/** A further seed, chosen so that the small inspection of seed 1 has text in every script, and markup. */
const salt = 1;

/** The open questions that respondents answered. */
const variableKeys = [7001, 7002, 7005];

/** Makes the findings of a partition. */
export function inventFindings(which: Which): InspectionFinding[] {
  return [...inventGroups(which)].flatMap(({ about, verbatim, found }) => {
    const comment = commentOf(verbatim);
    return found.map(({ wording, offset }) => ({
      ...about.keys,
      ...describeFinding(wording, which.kind, { comment, offset, writesFalse: about.writesFalse }),
    }));
  });
}

/** Makes the verbatims of a partition, each with its findings. */
function* inventGroups({ seed, partitionIndex, count }: Which): Generator<Group> {
  for (let ordinal = 0, missing = count; missing > 0; ordinal++) {
    // The kind is not a seed here, because both analyses read the same comments.
    const random = new Random(seed, salt, partitionIndex, ordinal);
    const verbatim = writeVerbatim(random);
    const about = describeVerbatim(random, partitionIndex * maxFindings + ordinal);
    const found = verbatim.sentences.filter(isFound).slice(0, missing);
    missing -= found.length;
    yield { about, verbatim, found };
  }
}

/** Returns the fields of a finding that come after its keys. */
function describeFinding(
  { text, remark }: Found["wording"],
  kind: FindingKind,
  { comment, offset, writesFalse }: { comment: string; offset: number; writesFalse: boolean },
): Omit<InspectionFinding, keyof Keys> {
  const { topic, expression, topicGroup, expressionGroup, sentiment } = remark;
  return {
    TopicGroup: topicGroup ?? null,
    ExpressionGroup: expressionGroup ?? null,
    ...(topic === undefined ? { NoTopic: true } : writesFalse ? { NoTopic: false } : {}),
    ...(expression === undefined ? { NoExpression: true } : writesFalse ? { NoExpression: false } : {}),
    Comment: comment,
    Topic: topic === undefined ? genericText(sentiment) : partOf(text, topic, offset),
    Expression: expression === undefined ? genericText(sentiment) : partOf(text, expression, offset),
    Extract: partOf(text, text, offset),
    ...(kind === "sentiment" ? { Sentiment: sentiment } : {}),
  };
}

function isFound(sentence: Sentence): sentence is Found {
  return sentence.wording.remark !== undefined;
}

/** Describes the verbatim with this number in the inspection. */
function describeVerbatim(random: Random, ordinal: number): About {
  const respondent = 500_000 + ordinal;
  return {
    keys: {
      VariableKey: random.oneOf(variableKeys),
      RespondentKey: respondent,
      RespondentId: `R-${String(respondent).padStart(8, "0")}`,
      StringKey: 9_000_000 + ordinal,
    },
    writesFalse: random.chance(0.3),
  };
}

/** Returns a part of a text that begins at `offset` in its comment. Offsets and lengths are in UTF-16 code units. */
function partOf(text: string, part: string, offset: number) {
  return { Text: part, Offset: offset + text.indexOf(part), Length: part.length };
}

function genericText(sentiment: number) {
  return { Text: sentiment > 0 ? "/PositiveSentiment/" : sentiment < 0 ? "/NegativeSentiment/" : "/NeutralSentiment/" };
}
