/** `npm run formats -- [--histories N] [--format a,b] [--seed N]`: random histories of every format; the last line counts. */
import { parseArgs } from "node:util";
import { FORMATS } from "./all.js";
import { check } from "./check.js";

const { values } = parseArgs({
  options: {
    histories: { type: "string", default: "2000" },
    format: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});
const count = Number(values.histories);
const seed = Number(values.seed);
const wanted = values.format?.split(",");
/** Violations that are shown of each format. */
const SHOWN = 10;
let histories = 0;
let violations = 0;
for (const make of FORMATS) {
  const format = await make();
  if (wanted && !wanted.includes(format.name)) continue;
  const start = performance.now();
  let found = 0;
  const sums = { applied: 0, dropped: 0, reported: 0 };
  for (let index = 0; index < count; index++) {
    const checked = await check(format, seed + index).catch((error: unknown) => ({
      violations: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
      applied: 0,
      dropped: 0,
      reported: 0,
    }));
    sums.applied += checked.applied;
    sums.dropped += checked.dropped;
    sums.reported += checked.reported;
    for (const violation of checked.violations)
      if (found++ < SHOWN) process.stdout.write(`${format.name} seed ${seed + index}: ${violation}\n`);
  }
  histories += count;
  violations += found;
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  process.stdout.write(
    `${format.name}: ${count} histories, ${sums.applied} decisions applied, ${sums.dropped} calls removed, ` +
      `${sums.reported} faults in the inputs, ${found} violations (${seconds} s)\n`,
  );
}
process.stdout.write(`${histories} histories, ${violations} violations\n`);
process.exitCode = violations > 0 || histories === 0 ? 1 : 0;
