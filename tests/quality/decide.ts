/** Our decisions for a dump of recorded sessions (`eval.py --dump`). */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { type CompactionRequest, compactContext, type Decision, type LocalDecisionModel, type Message } from "keepline";

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

/** A snapshot as a request in which every tool is eligible. */
export function requestOf({ messages, goal, preserve_recent_messages }: DumpLine): CompactionRequest {
  const tools = new Set<string>();
  for (const { content } of messages) {
    for (const block of typeof content === "string" ? [] : content) {
      if (block.type === "tool_call" && typeof block.name === "string") tools.add(block.name);
    }
  }
  return { messages, goal, eligible_tool_names: [...tools], options: { preserve_recent_messages } };
}

/** Decides every candidate of a snapshot. */
export async function decideLine(line: DumpLine, model: LocalDecisionModel): Promise<Decided[]> {
  const { decisions } = await compactContext(requestOf(line), model, { shareUnchanged: true, countChars: false });
  const byCall = new Map(decisions.map((decision) => [decision.call_id, decision]));
  return line.candidates.map((call) => {
    const { keep_call, keep_result } = byCall.get(call) ?? ({} as Partial<Decision>);
    if (keep_call === undefined || keep_result === undefined)
      throw new Error(`${line.id}: ${call} is no candidate here`);
    return { id: `${line.id}:${call}`, p_call: keep_call, p_result: keep_result };
  });
}
