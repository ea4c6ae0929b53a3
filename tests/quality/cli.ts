/**
 * `npm run quality`: the embedded model against its reference and the plain policies, on recorded sessions.
 * `npm run quality -- --decide DUMP.jsonl`: our decisions for such a dump, one a line, on standard output.
 */
import { spawnSync } from "node:child_process";
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { type LocalPoint, localDecisionModel } from "keepline";
import { shared } from "../support/shared.js";
import { decideLine, readDump } from "./decide.js";

const { values } = parseArgs({
  options: {
    decide: { type: "string" },
    point: { type: "string", default: "balanced" },
    goal: { type: "string", default: "task" },
  },
});

/** Largest difference to the reference that passes: its figures have six digits. */
const TOLERANCE = 1e-6;

function python(args: string[], quiet: boolean): void {
  const done = spawnSync("python3", args, { stdio: ["ignore", quiet ? "ignore" : "inherit", "inherit"] });
  if (done.status !== 0)
    throw new Error(`python3 ${args.join(" ")} failed${done.error ? `: ${done.error.message}` : ""}`);
}

/** The points that users can choose, and the study's own weights for tests. */
function modelAt(point: string) {
  return localDecisionModel({ point: point as LocalPoint });
}

async function decideAll(dump: string, point: string, write: (line: string) => void): Promise<void> {
  const model = modelAt(point);
  for await (const line of readDump(dump)) {
    for (const decided of await decideLine(line, model)) write(`${JSON.stringify(decided)}\n`);
  }
}

/** Compares the study's weights with the reference, candidate by candidate. */
async function parity(dump: string, reference: string): Promise<void> {
  const expected = new Map<string, { p_call: number; p_result: number }>();
  for await (const line of createInterface({ input: createReadStream(reference) })) {
    const { id, ...scores } = JSON.parse(line);
    expected.set(id, scores);
  }
  const model = modelAt("study");
  let largest = 0;
  let count = 0;
  for await (const line of readDump(dump)) {
    const mutating = new Set(line.mutating.map((call) => `${line.id}:${call}`));
    for (const { id, p_call, p_result } of await decideLine(line, model)) {
      const scores = expected.get(id);
      if (!scores) throw new Error(`the reference has no ${id}`);
      // A call that changes something only has to stay.
      const call = mutating.has(id) ? Math.max(0, 1 - p_call) : Math.abs(p_call - scores.p_call);
      const difference = Math.max(call, Math.abs(p_result - scores.p_result));
      if (difference > TOLERANCE)
        throw new Error(`${id}: ${p_call} ${p_result} instead of ${scores.p_call} ${scores.p_result}`);
      largest = Math.max(largest, difference);
      count++;
    }
  }
  if (count !== expected.size) throw new Error(`${count} candidates instead of ${expected.size}`);
  console.log(
    `parity: ${count} candidates within ${TOLERANCE} of the reference, largest difference ${largest.toExponential(1)}`,
  );
}

async function main(): Promise<void> {
  if (values.decide !== undefined) return decideAll(values.decide, values.point, (line) => process.stdout.write(line));
  const [script, trajectories, recipe] = ["quality/eval.py", "bench/trajectories", "quality/recipe-dev.json"].map(
    shared,
  );
  if (!script || !trajectories || !recipe) {
    console.log("skipped: the recorded sessions are not beside the repository (set KEEPLINE_SHARED to their folder)");
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "keepline-quality-"));
  try {
    const [dump, reference, decided] = ["dump", "reference", "decided"].map((name) =>
      join(folder, `${name}.jsonl`),
    ) as [string, string, string];
    python([script, trajectories, recipe, "--goal", values.goal, "--dump", dump, "--reference", reference], true);
    await parity(dump, reference);
    const out = createWriteStream(decided);
    await decideAll(dump, values.point, (line) => out.write(line));
    await new Promise((done) => out.end(done));
    console.log(`tables of eval.py; "given" is keepline at the point "${values.point}":`);
    python([script, trajectories, recipe, "--goal", values.goal, "--decisions", decided], false);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

await main().catch((error) => {
  console.error(`quality: ${error.message}`);
  process.exitCode = 1;
});
