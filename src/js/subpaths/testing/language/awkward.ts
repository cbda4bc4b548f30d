// Comments that are difficult to handle: markup, quotes, control characters, right-to-left text, formulas.

import type { Language } from "./language.js";

export const awkward: Language = {
  share: 1,
  between: "\n",
  remarks: [
    {
      text: "<img src=x onerror=alert(1)> Your chat mangles <b>every</b> message & I hate it.",
      topic: "chat",
      expression: "hate",
      topicGroup: "Digital",
      expressionGroup: "Reliability",
      sentiment: -2,
    },
    {
      text: '=HYPERLINK("https://example.com";"the refund") never came',
      topic: "refund",
      expression: "never came",
      topicGroup: "Billing",
      sentiment: -2,
    },
    {
      text: 'They said "soon" {n} times, the path C:\\temp\\\u0007 was all I got.',
      topic: "path",
      expression: "all I got",
      sentiment: -1,
    },
    {
      text: "The form \u202eesrever ni si\u202c is hard to read.",
      topic: "form",
      expression: "hard to read",
      topicGroup: "Digital",
      expressionGroup: "Ease of use",
      sentiment: -1,
    },
    {
      text: "الخدمة ممتازة والموظفون لطفاء",
      topic: "الخدمة",
      expression: "ممتازة",
      topicGroup: "Service",
      sentiment: 2,
    },
    {
      text: "Tabs\tand 𝒻𝒶𝓃𝒸𝓎 letters, the app shows neither.",
      topic: "app",
      expression: "shows neither",
      topicGroup: "Digital",
      sentiment: -1,
    },
  ],
  asides: ["'; DROP TABLE findings; --", "-- \r\n> quoted text", "null", "\ufeff"],
};
