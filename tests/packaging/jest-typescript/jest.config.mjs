export default { preset: "ts-jest" };
