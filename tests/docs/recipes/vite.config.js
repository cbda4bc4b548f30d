// vite.config.js
export default {
  server: { proxy: { "/cxi": { target: "https://service.example", changeOrigin: true } } },
};
