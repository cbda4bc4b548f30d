/** What a project for Cloudflare sets, so that Nitro bundles `.wasm` files. */

export default defineNuxtConfig({ nitro: { experimental: { wasm: true } } });
