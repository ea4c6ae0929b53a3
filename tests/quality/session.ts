/** Labelled snapshots: what a decision model is shown, and what the future needed of it. */
import type { CompactionRequest, Message } from "keepline";

/** A snapshot at one point of a session, with its labels. */
export interface LabelledSnapshot {
  id: string;
  /** Sessions of one task fall into one group: intervals are over groups. */
  group: string;
  kind: string;
  domain: string;
  goal: string;
  recent: number;
  messages: Message[];
  /** Calls of the task now running; others belong to ended tasks. */
  isOwn(call: string): boolean;
  /** Calls whose output the future needed word for word. */
  needed: ReadonlySet<string>;
  /** Calls that the future needed in any way. */
  neededCalls: ReadonlySet<string>;
  /** Calls that change something. */
  mutating: ReadonlySet<string>;
  /** How many candidates there are, where the labels say so. */
  candidates?: number;
}

/** A session from its beginning to its end. */
export interface Session {
  name: string;
  domain: string;
  messages: Message[];
}

/** A block of a message, as far as labels are concerned. */
export interface Block {
  type: string;
  id?: string;
  name?: string;
  text?: string;
  input?: unknown;
  output?: unknown;
  state?: string;
}

/** The blocks of a message. */
export function blocksOf({ content }: Message): Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : (content as unknown as Block[]);
}

/** The text of an output. */
export function outputText(output: unknown): string {
  if (typeof output === "string") return output;
  if (!Array.isArray(output)) return "";
  return output.map(({ text = "" }: { text?: string }) => text).join("\n");
}

/** The leaves of an input, one a line. */
export function inputText(input: unknown): string {
  if (typeof input !== "string") return leaves(input);
  try {
    return leaves(JSON.parse(input));
  } catch {
    return input;
  }
}

function leaves(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "object" && value !== null) return Object.values(value).map(leaves).join("\n");
  return String(value);
}

/** Code points of a text. */
export function length(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** A call with its result, in the order of the results. */
export interface Exchange {
  id: string;
  name: string;
  input: string;
  output: string;
  callAt: number;
  resultAt: number;
  /** User messages with text up to the call. */
  segment: number;
  /** Finished, with a result that is a success. */
  isGood: boolean;
}

/** Every call with its result. */
export function exchangesOf(messages: readonly Message[]): Exchange[] {
  const open = new Map<string, Omit<Exchange, "output" | "resultAt">>();
  const done: Exchange[] = [];
  let segment = 0;
  messages.forEach((message, at) => {
    const blocks = blocksOf(message);
    if (message.role === "user" && blocks.some(({ type }) => type === "text")) segment++;
    for (const { type, id = "", name = "", input, output, state } of blocks) {
      if (type === "tool_call")
        open.set(id, { id, name, input: inputText(input), callAt: at, segment, isGood: state === "finished" });
      const call = type === "tool_result" ? open.get(id) : undefined;
      if (call)
        done.push({ ...call, output: outputText(output), resultAt: at, isGood: call.isGood && state === "success" });
    }
  });
  return done;
}

/** A snapshot as a request in which every tool is eligible. */
export function requestOf({
  messages,
  goal,
  recent,
}: Pick<LabelledSnapshot, "messages" | "goal" | "recent">): CompactionRequest {
  const tools = new Set(
    messages.flatMap(blocksOf).flatMap(({ type, name }) => (type === "tool_call" && name ? [name] : [])),
  );
  return { messages, goal, eligible_tool_names: [...tools], options: { preserve_recent_messages: recent } };
}
