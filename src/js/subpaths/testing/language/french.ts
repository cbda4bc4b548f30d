// Comments in French.

import type { Language } from "./language.js";

export const french: Language = {
  share: 12,
  between: " ",
  remarks: [
    {
      text: "L’accueil était chaleureux et très professionnel.",
      topic: "accueil",
      expression: "chaleureux",
      topicGroup: "People",
      expressionGroup: "Courtesy",
      sentiment: 2,
    },
    {
      text: "La livraison a été retardée de {n} jours.",
      topic: "livraison",
      expression: "retardée",
      topicGroup: "Delivery",
      expressionGroup: "Speed",
      sentiment: -2,
    },
    {
      text: "Le prix me paraît un peu élevé.",
      topic: "prix",
      expression: "un peu élevé",
      topicGroup: "Value",
      expressionGroup: "Price",
      sentiment: -1,
    },
    {
      text: "Le site est clair et facile à utiliser.",
      topic: "site",
      expression: "facile à utiliser",
      topicGroup: "Digital",
      expressionGroup: "Ease of use",
      sentiment: 1,
    },
    {
      text: "Le petit déjeuner était délicieux, surtout la crème brûlée.",
      topic: "petit déjeuner",
      expression: "délicieux",
      topicGroup: "Food",
      sentiment: 2,
    },
    {
      text: "La chambre sentait le renfermé.",
      topic: "chambre",
      expression: "sentait le renfermé",
      topicGroup: "Room",
      expressionGroup: "Cleanliness",
      sentiment: -2,
    },
    {
      text: "Le service après-vente répond, sans plus.",
      topic: "service après-vente",
      expression: "sans plus",
      topicGroup: "Service",
      sentiment: 0,
    },
    { text: "C’est parfait !", expression: "parfait", expressionGroup: "Delight", sentiment: 2 },
    { text: "Quelle déception…", expression: "déception", expressionGroup: "Disappointment", sentiment: -2 },
    { text: "Rien à redire.", sentiment: 1 },
  ],
  asides: [
    "Nous étions {n} à table.",
    "J’avais réservé en ligne.",
    "Cliente fidèle depuis l’été dernier.",
    "Envoyé depuis mon téléphone.",
  ],
};
