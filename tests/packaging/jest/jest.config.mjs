export default {
  testEnvironment: "jest-fixed-jsdom",
  transformIgnorePatterns: ["/node_modules/(?!inspection-findings/)"],
};
