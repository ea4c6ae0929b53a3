/** How Cloudflare Workers get at the module: compiled at deployment, since nothing may be compiled while a request runs. */

import { useLoader } from "../engine.js";
import module from "../keepline.wasm";

useLoader({
  load: async () => module,
  loadSync: () => module,
  advice:
    "It is imported as a module: the bundler must know files that end in .wasm as WebAssembly modules, as wrangler does",
});
