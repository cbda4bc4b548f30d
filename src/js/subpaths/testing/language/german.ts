// Comments in German.

import type { Language } from "./language.js";

export const german: Language = {
  share: 16,
  between: " ",
  remarks: [
    {
      text: "Das Personal war außergewöhnlich freundlich.",
      topic: "Personal",
      expression: "freundlich",
      topicGroup: "People",
      expressionGroup: "Courtesy",
      sentiment: 2,
    },
    {
      text: "Die Lieferung kam {n} Tage zu spät.",
      topic: "Lieferung",
      expression: "zu spät",
      topicGroup: "Delivery",
      expressionGroup: "Speed",
      sentiment: -2,
    },
    {
      text: "Der Preis ist für die Größe völlig in Ordnung.",
      topic: "Preis",
      expression: "völlig in Ordnung",
      topicGroup: "Value",
      expressionGroup: "Price",
      sentiment: 1,
    },
    {
      text: "Die App stürzt ständig ab.",
      topic: "App",
      expression: "stürzt ständig ab",
      topicGroup: "Digital",
      expressionGroup: "Reliability",
      sentiment: -2,
    },
    {
      text: "Das Frühstück war mittelmäßig.",
      topic: "Frühstück",
      expression: "mittelmäßig",
      topicGroup: "Food",
      sentiment: 0,
    },
    {
      text: "Das Zimmer war sauber, hell und ruhig.",
      topic: "Zimmer",
      expression: "sauber",
      topicGroup: "Room",
      expressionGroup: "Cleanliness",
      sentiment: 2,
    },
    {
      text: "Auf meine Rückfrage hat sich niemand gemeldet.",
      topic: "Rückfrage",
      expression: "niemand gemeldet",
      topicGroup: "Service",
      expressionGroup: "Responsiveness",
      sentiment: -2,
    },
    {
      text: "Die Rücksendung hat reibungslos geklappt.",
      topic: "Rücksendung",
      expression: "reibungslos",
      topicGroup: "Process",
      sentiment: 1,
    },
    { text: "Einfach großartig!", expression: "großartig", expressionGroup: "Delight", sentiment: 2 },
    { text: "Leider enttäuschend.", expression: "enttäuschend", expressionGroup: "Disappointment", sentiment: -1 },
    { text: "Nie wieder.", sentiment: -2 },
  ],
  asides: [
    "Gebucht habe ich über das Reisebüro.",
    "Wir waren {n} Personen.",
    "Das war übrigens mein dritter Einkauf.",
    "Mit freundlichen Grüßen aus Köln.",
  ],
};
