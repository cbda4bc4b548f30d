export default { testEnvironment: "jest-fixed-jsdom", transform: {} };
