/** Runs the cases of a directory. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CompactionRequest } from "keepline";
import { type CaseFile, type Run, runsOf } from "./case.js";
import { observe } from "./observe.js";
import { runSequence } from "./sequences.js";
import { FEATURES, unmet } from "./words.js";

/** What became of a run. */
export interface Report {
  name: string;
  /** Why it was not run. */
  skipped?: string;
  /** What is not as expected. */
  unmet: string[];
}

/** Cases that other commands cover. */
const ELSEWHERE: Record<string, string> = {
  "064": "loading in every runtime is what npm run matrix is for",
};

/** The runs of a file. */
export function readRuns(file: string): Run[] {
  const runs = runsOf(JSON.parse(readFileSync(file, "utf8")) as CaseFile);
  return runs.map((run, index) => ({ ...run, origin: { file, index } }));
}

async function report(run: Run): Promise<Report> {
  const { name } = run;
  if (run.needs !== undefined && !FEATURES.has(run.needs)) return { name, skipped: `needs ${run.needs}`, unmet: [] };
  try {
    return { name, unmet: run.sequence ? await runSequence(run) : await runOnce(run) };
  } catch (error) {
    return { name, unmet: [error instanceof Error ? error.message : String(error)] };
  }
}

async function runOnce(run: Run): Promise<string[]> {
  const observed = await observe(run, run.request, run.answers);
  const found: string[] = [];
  for (const entry of run.expect) found.push(...(await unmet(observed, entry)));
  const { rerun } = run;
  if (!rerun || !observed.result) return found;
  const messages = [...observed.result.messages, ...(rerun.append ?? [])];
  const request = { ...run.request, messages } as CompactionRequest;
  const second = await observe(run, request, rerun.answers ?? run.answers);
  for (const entry of rerun.expect)
    found.push(...(await unmet({ ...second, first: observed }, entry)).map((text) => `second run: ${text}`));
  return found;
}

/** Runs every case of these formats in a directory, in order of their names. */
export async function* runDirectory(directory: string, formats: readonly string[]): AsyncGenerator<Report> {
  for (const name of readdirSync(directory).sort()) {
    if (!name.endsWith(".json")) continue;
    const elsewhere = ELSEWHERE[name.slice(0, 3)];
    if (elsewhere !== undefined) {
      yield { name, skipped: elsewhere, unmet: [] };
      continue;
    }
    let runs: Run[];
    try {
      runs = readRuns(join(directory, name));
    } catch (error) {
      yield { name, unmet: [`cannot be read: ${error instanceof Error ? error.message : String(error)}`] };
      continue;
    }
    for (const run of runs) if (formats.includes(run.format)) yield await report(run);
  }
}
