/** A plugin for Vite that compiles components of Vue, as `@vitejs/plugin-vue` does. */

import { compileScript, parse } from "vue/compiler-sfc";

/** @returns {import("vite").Plugin} */
export function vueComponents() {
  return {
    name: "vue-components",
    transform(code, id, options) {
      if (!id.endsWith(".vue")) return undefined;
      const { descriptor } = parse(code, { filename: id });
      const templateOptions = { ssr: options?.ssr === true, ssrCssVars: [] };
      return compileScript(descriptor, { id, inlineTemplate: true, templateOptions }).content;
    },
  };
}
