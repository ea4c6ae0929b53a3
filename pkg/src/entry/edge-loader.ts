/** How edge functions (edge-light) get at the module: compiled at deployment, since nothing may be compiled while a request runs. */

import { useLoader } from "../engine.js";
import module from "../keepline.wasm?module";

useLoader({
  load: async () => module,
  loadSync: () => module,
  advice:
    "It is imported as a module: the bundler must know files that end in .wasm?module as WebAssembly modules, as Next.js does for edge functions",
});
