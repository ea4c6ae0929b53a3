/** How pages and workers of a browser get at the module: the file beside the code, which bundlers see by this very expression. */
import { useLoader } from "../engine.js";

useLoader({
  load: async () => {
    const url = new URL("../keepline.wasm", import.meta.url);
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
    // By bytes and not by streaming, which insists on a content type that many servers do not send.
    return WebAssembly.compile(await response.arrayBuffer());
  },
  advice:
    "It is the file keepline.wasm beside the code: serve it too (esbuild and plain Rollup do not copy it, esbuild finds it with --format=esm alone; the server of Vite before 8 needs optimizeDeps.exclude), and allow 'wasm-unsafe-eval' and its address (connect-src) in the page's Content-Security-Policy; or use keepline/inline, or init(source) of keepline/slim",
});
