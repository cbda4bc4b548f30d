// Short comments with emoji, several of which have more than one code point.

import type { Language } from "./language.js";

export const emoji: Language = {
  share: 5,
  between: " ",
  remarks: [
    {
      text: "Loved the team 👩🏽‍🍳❤️",
      topic: "team",
      expression: "Loved",
      topicGroup: "People",
      expressionGroup: "Delight",
      sentiment: 2,
    },
    {
      text: "queue = 😡😡😡",
      topic: "queue",
      expression: "😡😡😡",
      topicGroup: "Process",
      expressionGroup: "Waiting",
      sentiment: -2,
    },
    { text: "coffee ☕️ 10/10", topic: "coffee", expression: "10/10", topicGroup: "Food", sentiment: 2 },
    {
      text: "parcel 📦 late again 🙄",
      topic: "parcel",
      expression: "late again",
      topicGroup: "Delivery",
      expressionGroup: "Speed",
      sentiment: -1,
    },
    { text: "👍🏿", sentiment: 1 },
    { text: "👎", sentiment: -1 },
    { text: "¯\\_(ツ)_/¯", sentiment: 0 },
  ],
  asides: ["🏳️‍🌈✈️", "(sent from my ⌚️)", "👨‍👩‍👧‍👦 × {n}"],
};
