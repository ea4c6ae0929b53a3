/**
 * `npm start`: sets everything up and does the main job with the embedded model.
 * See `npm start -- --help`.
 */
import { build } from "./build.mjs";

await build();
const { main } = await import("./start/main.mjs");
process.exitCode = await main(process.argv.slice(2));
