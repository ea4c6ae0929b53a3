/** How Node, Deno and Bun get at the module. */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { useLoader } from "../engine.js";

// Not before it is needed: bundles for CommonJS have no import.meta, and may never call it.
const file = () => new URL("../keepline.wasm", import.meta.url);

useLoader({
  load: async () => WebAssembly.compile(await readFile(file())),
  loadSync: () => new WebAssembly.Module(readFileSync(file())),
  advice:
    "It is the file dist/keepline.wasm of the package: install the package again; in Deno, require() needs --allow-read, import does not; when bundling for a server, keep the package external (Next.js: serverExternalPackages), or use keepline/inline, or init() of keepline/slim",
});
