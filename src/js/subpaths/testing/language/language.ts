// The vocabulary of a language for invented comments.

/** One remark of a respondent, and what an analysis would find in it. `{n}` in the text becomes a small number. */
export interface Remark {
  readonly text: string;
  /** A part of the text; if left out, the analysis names no topic and gives a generic description. */
  readonly topic?: string;
  /** A part of the text; if left out, the analysis names no expression and gives a generic description. */
  readonly expression?: string;
  /** Left out if the topic is not mapped to a group. */
  readonly topicGroup?: string;
  /** Left out if the expression is not mapped to a group. */
  readonly expressionGroup?: string;
  readonly sentiment: -2 | -1 | 0 | 1 | 2;
}

/** The remarks of a language, and how a comment joins them. */
export interface Language {
  /** The frequency relative to the other languages. */
  readonly share: number;
  /** The separator of two sentences. */
  readonly between: string;
  readonly remarks: readonly Remark[];
  /** Sentences without findings. */
  readonly asides: readonly string[];
}
