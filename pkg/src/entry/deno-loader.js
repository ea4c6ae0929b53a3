/**
 * How Deno gets at the module: as a source, which asks for no permission to read files.
 * Plain JavaScript, because TypeScript knows no `import source`.
 */

import { useLoader } from "../engine.js";
import source module from "../keepline.wasm";

useLoader({
  load: async () => module,
  loadSync: () => module,
  advice: "It is imported as a source, which Deno before 2.6 cannot do; use keepline/inline there",
});
