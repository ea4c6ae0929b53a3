/** `npm run matrix [-- --quick] [-- --only WORDS]`: the packed package in every place where it runs, compared with Node. */
import { parseArgs } from "node:util";
import { SkippedError } from "./browsers.js";
import { type Place, places } from "./places.js";
import { project } from "./project.js";

const { values } = parseArgs({ options: { quick: { type: "boolean" }, only: { type: "string" } } });
const [first, ...others] = places as [Place, ...Place[]];
const wanted = others.filter(({ name, quick }) => (quick || !values.quick) && name.includes(values.only ?? ""));
const packed = project();
let expected = "";
const counts = { passed: 0, failed: 0, skipped: 0 };
try {
  for (const { name, says, run } of [first, ...wanted]) {
    const started = performance.now();
    let verdict = "passed";
    try {
      const said = await run(packed);
      expected ||= said;
      if (says ? !says.test(said) : said === "" || said !== expected) throw new Error(`said ${said.slice(0, 300)}`);
      counts.passed++;
    } catch (error) {
      const skipped = error instanceof SkippedError;
      counts[skipped ? "skipped" : "failed"]++;
      verdict = `${skipped ? "skipped" : "FAILED"}: ${(error as Error).message.slice(0, 600)}`;
    }
    console.log(`${name.padEnd(44)} ${((performance.now() - started) / 1000).toFixed(1).padStart(5)} s  ${verdict}`);
  }
} finally {
  packed.remove();
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 ? 1 : 0;
