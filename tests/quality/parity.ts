/** The study's weights against the study's reference, candidate by candidate. */
import { spawnSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { type LocalPoint, localDecisionModel } from "keepline";
import { decideLine, readDump } from "./decide.js";

/** Largest difference that passes: the reference's figures have six digits. */
const TOLERANCE = 1e-6;

/** Whether the reference can run. */
export function hasPython(): boolean {
  return spawnSync("python3", ["--version"]).status === 0;
}

/** Where the reference and its data are, and where it may write. */
export interface ParityPaths {
  script: string;
  sessions: string;
  recipe: string;
  goal: string;
  dump: string;
  reference: string;
}

/** Compares every candidate; says how many, and the largest difference. */
export async function parity({ script, sessions, recipe, goal, dump, reference }: ParityPaths): Promise<string> {
  const args = [script, sessions, recipe, "--goal", goal, "--dump", dump, "--reference", reference];
  const done = spawnSync("python3", args, { stdio: ["ignore", "ignore", "inherit"] });
  if (done.status !== 0) throw new Error("the reference failed");
  const expected = new Map<string, { p_call: number; p_result: number }>();
  for await (const line of createInterface({ input: createReadStream(reference) })) {
    const { id, ...scores } = JSON.parse(line);
    expected.set(id, scores);
  }
  const model = localDecisionModel({ point: "study" as LocalPoint });
  let [largest, count] = [0, 0];
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
  return `parity: ${count} candidates within ${TOLERANCE} of the reference, largest difference ${largest.toExponential(1)}`;
}
