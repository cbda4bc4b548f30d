/** The corpora: bodies of findings in many kinds of text, because the speed of a decoder depends on the text. */

import { createFakeService } from "inspection-findings/testing";
import { Random } from "../../random.js";

type Finding = { Comment: string; [name: string]: unknown };
/** Makes the findings of one partition. */
type Corpus = (partitionIndex: number, count: number) => Finding[];
/** How the texts of a language are put together. */
type Voice = { words: string[]; between: string };

const english =
  "the staff at our front desk were friendly and helpful but check-in took far too long because nobody knew where my booking was " +
  "breakfast offered little choice after nine parking costs extra which was not mentioned anywhere room stayed quiet clean bright " +
  "delivery came earlier than promised website keeps crashing when I change address support answered within minutes refund still " +
  "missing price seems fair for what you get driver waited patiently manager apologised twice";

const chinese =
  "服务员 非常 热情 但是 早餐 选择 太少 房间 很 干净 安静 停车 需要 额外 收费 没有人 告诉 我们 网站 经常 崩溃 退款 至今 未到 价格 合理 客服 " +
  "几分钟 内 就 回复 了 送货 比 承诺 提前 一天 前台 等待 时间 过长 地点 方便 下次 还会 再来 经理 道歉 两次 空调 声音 很大";

const japanese =
  "スタッフの対応が とても 丁寧で 朝食の種類が 少なく 残念でした 部屋は 静かで 清潔 でしたが 駐車場が 有料だと 知りません でした ウェブサイトが 何度も " +
  "落ちて 予約を 変更 できません 配送は 予定より 早く 届きました 返金が まだ されて いません 価格は 妥当だと 思います 受付で 長く 待たされ ました また 利用したい";

const mixed =
  "great 👍 ❤️ staff Спасибо большое очень вкусно 😀😀 καλή εξυπηρέτηση ممتاز جدا 🏨 שירות מעולה 最高 でした 👨‍👩‍👧 너무 좋아요 “quiet” room – " +
  "Zimmer schön 🎉 naïve déjà-vu 🚀🚀🚀 дорого πολύ ακριβό 😡 خدمة سيئة no thanks ☕ ok 🙏🏽 ничего ยอดเยี่ยม बहुत अच्छा ¡qué bien! … 100 €";

export const corpora: Record<string, Corpus> = {
  English: distinct([voice(english)]),
  "texts that repeat": inventFindings,
  "Chinese and Japanese": distinct([voice(chinese, ""), voice(japanese, "")]),
  "emoji and mixed scripts": distinct([voice(mixed)]),
  "all texts differ": distinct([voice(english)], 14, 1),
  "long comments": distinct([voice(english), voice(`${english} it’s “fine” – really`)], 700),
};

/** The share of the findings that are asked for: less than one where a finding is long. */
export const shareOf = (corpus: string) => (corpus === "long comments" ? 0.1 : 1);

/**
 * The bodies of an inspection.
 * @param name of the corpus
 */
export function makeBodies(name: string, { findings, partitions }: { findings: number; partitions: number }) {
  const count = Math.ceil((findings * shareOf(name)) / partitions);
  return Array.from({ length: partitions }, (_, partitionIndex) =>
    Buffer.from(JSON.stringify({ Findings: corpora[name](partitionIndex, count), errors: null })),
  );
}

/** @param between what stands between two of them */
function voice(words: string, between: string = " "): Voice {
  return { words: words.split(" "), between };
}

/** Findings that the fake service invents, with keys that no other partition has. */
function inventFindings(partitionIndex: number, count: number): Finding[] {
  const service = createFakeService({ seed: partitionIndex, sentiment: { findings: count, partitions: 1 } });
  return service.findings("sentiment").map((finding) => {
    const RespondentKey = finding.RespondentKey + partitionIndex * count;
    const StringKey = finding.StringKey + partitionIndex * count;
    return { ...finding, RespondentKey, RespondentId: idOf(RespondentKey), StringKey };
  });
}

/**
 * A corpus in which no text occurs twice, but a comment does in each finding that comes from it.
 * @param words of a comment that are in none of its extracts
 * @param most findings of a comment
 */
function distinct(voices: Voice[], words: number = 14, most: number = 4): Corpus {
  return (partitionIndex, count) => {
    const random = new Random("corpus", partitionIndex);
    const findings: Finding[] = [];
    for (let ordinal = partitionIndex * count; findings.length < count; ordinal++) {
      const voice = random.oneOf(voices);
      const text = (least: number, most: number) =>
        Array.from({ length: random.integer(least, most) }, () => random.oneOf(voice.words)).join(voice.between);
      const extracts = Array.from({ length: random.integer(1, most) }, () => {
        const [topic, expression, between] = [text(4, 6), text(4, 6), text(1, 4)];
        return { topic, expression, extract: [topic, between, expression].join(voice.between) };
      });
      const before = text(words >> 1, words);
      const keys = {
        VariableKey: random.oneOf([7001, 7002, 7005]),
        RespondentKey: 500_000 + ordinal,
        RespondentId: idOf(500_000 + ordinal),
        StringKey: 9_000_000 + ordinal,
      };
      const comment = [before, ...extracts.map(({ extract }) => extract)].join(". ");
      for (const { topic, expression, extract } of extracts) {
        const at = comment.indexOf(extract);
        const partOf = (part: string) => ({
          Text: part,
          Offset: at + extract.indexOf(part),
          Length: part.length,
        });
        findings.push({
          ...keys,
          TopicGroup: voice.words[random.integer(0, 9)],
          ExpressionGroup: random.chance(0.2) ? null : voice.words[random.integer(10, 19)],
          ...(random.chance(0.3) ? { NoTopic: false } : {}),
          Comment: comment,
          Topic: partOf(topic),
          Expression: partOf(expression),
          Extract: partOf(extract),
          Sentiment: random.integer(-2, 2),
        });
      }
    }
    return findings.slice(0, count);
  };
}

function idOf(respondent: number) {
  return `R-${String(respondent).padStart(8, "0")}`;
}
