/** How Deno gets at the module: as a source, which asks for no permission; by reading the file where Deno cannot do that yet. */
import { readFileSync } from "node:fs";
import { useLoader } from "../engine.js";

const read = () => new WebAssembly.Module(readFileSync(new URL("../keepline.wasm", import.meta.url)));

useLoader({
  load: async () => {
    try {
      // @ts-expect-error: no declarations, see there
      return (await import("./deno-source.js")).default;
    } catch {
      return read();
    }
  },
  loadSync: read,
  advice:
    "It is the file dist/keepline.wasm of the package: Deno before 2.6 needs --allow-read for it, and so do synchronous functions without await init() before them; or use keepline/inline",
});
