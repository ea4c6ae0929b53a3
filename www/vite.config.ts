/** Builds the page: static files, no inline script or style, and a service worker that knows every one of them. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const path = (from: string) => fileURLToPath(new URL(from, import.meta.url));

/** Writes `sw.js` with the names of all files of the build, so that the page works offline after the first load. */
function offline(): Plugin {
  return {
    name: "keepline-offline",
    apply: "build",
    generateBundle(_options, bundle) {
      const files = Object.keys(bundle).filter((name) => name !== "index.html" && !name.endsWith(".map"));
      const source = readFileSync(path("src/offline.js"), "utf8");
      const list = JSON.stringify(["./", "icon.svg", ...files.sort()]);
      this.emitFile({ type: "asset", fileName: "sw.js", source: source.replace('["FILES"]', list) });
    },
  };
}

/** Vite's helper preloads styles of late chunks; there is one stylesheet, and it is there. */
function plainImports(): Plugin {
  return {
    name: "keepline-plain-imports",
    enforce: "pre",
    load: (id) => (id.includes("vite/preload-helper") ? "export const __vitePreload = (load) => load();" : undefined),
  };
}

const { version } = JSON.parse(readFileSync(path("../pkg/package.json"), "utf8"));

export default defineConfig({
  define: { KEEPLINE_VERSION: JSON.stringify(version) },
  root: path("."),
  base: "./",
  resolve: {
    alias: [
      { find: /^keepline\/(models\/.+)$/, replacement: path("../pkg/src/$1.ts") },
      { find: /^keepline\/(.+)$/, replacement: path("../pkg/src/adapters/$1.ts") },
      { find: /^keepline$/, replacement: path("../pkg/src/index.ts") },
      { find: "#glue", replacement: path("../.build/glue.mjs") },
    ],
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  // A data: address would need a hole in the content security policy.
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    // Browsers that know light-dark(); written for older ones it takes a third more.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: false,
  },
  worker: { format: "es" },
  plugins: [plainImports(), offline()],
});
