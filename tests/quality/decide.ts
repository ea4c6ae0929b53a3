/** Our decisions for a dump of recorded sessions (`eval.py --dump`). */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { LocalDecisionModel, Message } from "keepline";
import { ask } from "./score.js";

/** One snapshot of the dump. */
export interface DumpLine {
  id: string;
  goal: string;
  preserve_recent_messages: number;
  messages: Message[];
  candidates: string[];
  mutating: string[];
}

/** One decision, as `eval.py --decisions` reads it. */
export interface Decided {
  id: string;
  p_call: number;
  p_result: number;
}

/** The snapshots of a dump, one after the other. */
export async function* readDump(file: string): AsyncGenerator<DumpLine> {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (line.trim() !== "") yield JSON.parse(line) as DumpLine;
  }
}

/** Decides every candidate of a snapshot. */
export async function decideLine(line: DumpLine, model: LocalDecisionModel): Promise<Decided[]> {
  const answers = await ask({ ...line, recent: line.preserve_recent_messages }, model);
  return line.candidates.map((call) => {
    const answer = answers.get(call);
    if (!answer) throw new Error(`${line.id}: ${call} is no candidate here`);
    return { id: `${line.id}:${call}`, p_call: answer.keepCall, p_result: answer.keepResult };
  });
}

/** Writes the decisions for a whole dump, one a line. */
export async function decideAll(file: string, model: LocalDecisionModel, write: (line: string) => void): Promise<void> {
  for await (const line of readDump(file)) {
    for (const decided of await decideLine(line, model)) write(`${JSON.stringify(decided)}\n`);
  }
}
