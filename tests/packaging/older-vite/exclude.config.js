export default { optimizeDeps: { exclude: ["inspection-findings"] } };
