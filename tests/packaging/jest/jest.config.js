export default { testEnvironment: "jest-fixed-jsdom", setupFiles: ["./decompression.js"], transform: {} };
