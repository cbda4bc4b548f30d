export default { source: { entry: { index: "./main.js" } } };
