// Comments in Japanese.

import type { Language } from "./language.js";

export const japanese: Language = {
  share: 7,
  between: "",
  remarks: [
    {
      text: "スタッフの対応がとても丁寧でした。",
      topic: "スタッフ",
      expression: "丁寧",
      topicGroup: "People",
      expressionGroup: "Courtesy",
      sentiment: 2,
    },
    {
      text: "配送が{n}日も遅れました。",
      topic: "配送",
      expression: "遅れました",
      topicGroup: "Delivery",
      expressionGroup: "Speed",
      sentiment: -2,
    },
    {
      text: "価格は妥当だと思います。",
      topic: "価格",
      expression: "妥当",
      topicGroup: "Value",
      expressionGroup: "Price",
      sentiment: 1,
    },
    {
      text: "アプリの画面が分かりにくいです。",
      topic: "アプリ",
      expression: "分かりにくい",
      topicGroup: "Digital",
      expressionGroup: "Ease of use",
      sentiment: -1,
    },
    { text: "朝食は普通でした。", topic: "朝食", expression: "普通", topicGroup: "Food", sentiment: 0 },
    {
      text: "部屋は清潔で静かでした。",
      topic: "部屋",
      expression: "清潔",
      topicGroup: "Room",
      expressionGroup: "Cleanliness",
      sentiment: 2,
    },
    { text: "最高です！", expression: "最高", expressionGroup: "Delight", sentiment: 2 },
    { text: "もう二度と使いません。", sentiment: -2 },
  ],
  asides: ["家族{n}人で利用しました。", "友人の紹介です。", "電話で予約しました。"],
};
