/** The module as a source. A file of its own in plain JavaScript: TypeScript and Deno before 2.6 know no `import source`. */
import source module from "../keepline.wasm";

export default module;
