/** `npm run quality`: how much a decision model frees, and what that loses, on recorded sessions. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CompactionError, localDecisionModel } from "keepline";
import { shared } from "../support/shared.js";
import { type Arguments, loadModels, readArguments, USAGE, UsageError } from "./arguments.js";
import { decideAll } from "./decide.js";
import { hasPython, parity } from "./parity.js";
import { readPlain, readSessions } from "./plain.js";
import { readRecipe } from "./recipe.js";
import { ask, Pools } from "./score.js";
import type { LabelledSnapshot } from "./session.js";
import { adviceOf, figuresOf, show, showAdvice } from "./tables.js";

/** The snapshots that were asked for; undefined where there are none. */
function snapshots({ folder, recipe, goal }: Arguments): LabelledSnapshot[] | undefined {
  if (folder !== undefined) {
    const found = recipe === undefined ? [...readPlain(readSessions(folder))] : [...readRecipe(folder, recipe, goal)];
    if (found.length === 0) throw new UsageError(`${folder} has no transcript that is long enough to be cut`);
    return found;
  }
  const [sessions, own] = ["bench/trajectories", "quality/recipe-dev.json"].map(shared);
  return sessions && own ? [...readRecipe(sessions, own, goal)] : undefined;
}

/** Asks every model about every snapshot. */
async function measure(found: readonly LabelledSnapshot[], args: Arguments): Promise<[string, Pools][]> {
  const measured: [string, Pools][] = [];
  for (const [name, model] of await loadModels(args)) {
    const pools = new Pools();
    for (const [index, snapshot] of found.entries()) {
      if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${name}: ${index + 1}/${found.length}`);
      pools.add(snapshot, await ask(snapshot, model));
    }
    if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
    measured.push([name, pools]);
  }
  return measured;
}

async function main(args: Arguments): Promise<void> {
  if (args.help) return console.log(USAGE);
  if (args.decide !== undefined) {
    const model = localDecisionModel({ point: args.points.length === 1 ? (args.points[0] ?? "balanced") : "balanced" });
    return decideAll(args.decide, model, (line) => process.stdout.write(line));
  }
  const found = snapshots(args)?.slice(0, args.limit);
  if (!found) {
    console.log("skipped: the recorded sessions are not beside the repository (name a folder of your own transcripts)");
    return;
  }
  const check = args.folder === undefined && args.model === "local" ? await checkParity(args) : undefined;
  const measured = await measure(found, args);
  const figures = figuresOf(measured);
  const advice = measured.map(([name, pools]) => ({ model: name, advice: adviceOf(pools, args.maxLoss) }));
  if (args.json) {
    console.log(JSON.stringify({ parity: check ?? null, pools: figures, max_loss: args.maxLoss, advice }));
    return;
  }
  if (check) console.log(`${check}\n`);
  for (const pool of figures) console.log(show(pool));
  for (const { model, advice: lines } of advice) console.log(`${model}: ${showAdvice(lines, args.maxLoss)}`);
}

/** Whether the study's weights still give what the study's reference gives. */
async function checkParity({ goal }: Arguments): Promise<string | undefined> {
  const [script, sessions, recipe] = ["quality/eval.py", "bench/trajectories", "quality/recipe-dev.json"].map(shared);
  if (!script || !sessions || !recipe) return undefined;
  if (!hasPython()) return "parity: not checked, the reference needs python3";
  const folder = mkdtempSync(join(tmpdir(), "keepline-quality-"));
  try {
    const [dump, reference] = [join(folder, "dump.jsonl"), join(folder, "reference.jsonl")];
    return await parity({ script, sessions, recipe, goal, dump, reference });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

try {
  await main(readArguments(process.argv.slice(2)));
} catch (error) {
  const isUsage = error instanceof UsageError || CompactionError.isInstance(error);
  console.error(`quality: ${isUsage ? (error as Error).message : (error as Error).stack}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
