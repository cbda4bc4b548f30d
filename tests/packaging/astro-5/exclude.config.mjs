export default { vite: { optimizeDeps: { exclude: ["inspection-findings"] } } };
