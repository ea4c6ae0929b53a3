/** `npm run cases -- DIR [--format agentscope,any,gemini]`: runs the cases of a directory; the last line counts. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { ADAPTED } from "./adapters.js";
import { runDirectory } from "./runner.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { format: { type: "string", default: ["agentscope", "any", ...ADAPTED].join() } },
});
const [directory] = positionals;
if (directory === undefined || positionals.length > 1) {
  process.stderr.write("usage: npm run cases -- DIR [--format agentscope,any,gemini]\n");
  process.exit(2);
}

let passed = 0;
let failed = 0;
for await (const { name, skipped, unmet } of runDirectory(resolve(directory), values.format.split(","))) {
  if (skipped !== undefined) {
    process.stdout.write(`skipped ${name}: ${skipped}\n`);
    continue;
  }
  if (unmet.length === 0) passed++;
  else failed++;
  process.stdout.write(
    `${unmet.length === 0 ? "passed" : "FAILED"} ${name}\n${unmet.map((text) => `  ${text}\n`).join("")}`,
  );
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
