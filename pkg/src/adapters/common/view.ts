/**
 * What an adapter makes of its vendor's messages: the blocks that the core reads, each message with a way back. Untouched
 * messages are never rebuilt, so what an adapter does not know survives in them as the very same value.
 */
import type { Fields, Ties } from "../../flatten.js";

/** Text, thinking and what is carried along. */
interface PlainBlock {
  kind: "text" | "thinking" | "other" | "aside" | "attachment";
}

export interface TextBlock extends PlainBlock {
  kind: "text";
  text: string;
}

export interface ThinkingBlock extends PlainBlock {
  kind: "thinking";
  /** The provider binds it to everything before it; it can be stripped after an edit. */
  signed?: boolean;
}

/** Carried along, and its message is not empty. */
export interface OtherBlock extends PlainBlock {
  kind: "other";
}

/** Says nothing itself; no thinking leads to it. */
export interface AsideBlock extends PlainBlock {
  kind: "aside";
  /** An empty text, which is still shown. */
  text?: "";
  endsStep?: boolean;
  keepsMessage?: boolean;
}

/** Goes with a call. */
export interface AttachmentBlock extends PlainBlock {
  kind: "attachment";
  of: string;
}

export interface CallBlock extends Ties {
  kind: "call";
  id: string | undefined;
  name: string | undefined;
  /** The text of its JSON; undefined where it is no JSON at all. */
  input: string | undefined;
  /** Undefined: finished when there is a result. */
  finished?: boolean | undefined;
  /** It carries a signature that the provider checks in the open tool loop. */
  signed?: boolean;
}

export interface ResultBlock {
  kind: "result";
  id: string | undefined;
  /** Undefined: the call's. */
  name?: string | undefined;
  /** Undefined where it is more or other than text. */
  text: string | undefined;
  success: boolean;
  /** What its marker names instead of the id, as in its call. */
  label?: string | undefined;
}

export type SeenBlock = TextBlock | ThinkingBlock | OtherBlock | AsideBlock | AttachmentBlock | CallBlock | ResultBlock;

/** What is to be done with the blocks of one message. */
export interface Edit {
  isGone(block: number): boolean;
  /** The new text of a result that gets shorter. */
  textOf(block: number): string | undefined;
}

/** A message as an adapter sees it. */
export interface Seen {
  /** The vendor's own word; `user`, `system` and `developer` mean something, the others speak for the agent. */
  role: string;
  /** The id that `protected_message_ids` and `task_starts` name. */
  id?: string | undefined;
  blocks: SeenBlock[];
  /** It goes on with the tool loop, though the user speaks. */
  continues?: boolean;
  /** The message with an edit done, as a copy. Asked for only where something changes and something is left. */
  rebuild(edit: Edit): object;
}

/** A message as {@link Viewed} by keepline. */
export interface Viewed {
  index: number;
  role: string;
  texts: string[];
  calls: { id: string | undefined; name: string | undefined; input_json: string | undefined; finished: boolean }[];
  results: {
    id: string | undefined;
    name: string | null;
    /** Null where it is more or other than text. */
    text: string | null;
    success: boolean;
  }[];
}

/** What keepline reads of some messages. */
export function viewed(seen: readonly Seen[]): Viewed[] {
  return seen.map(({ role, blocks }, index) => {
    const row: Viewed = { index, role, texts: [], calls: [], results: [] };
    for (const block of blocks) {
      if (block.kind === "text" || (block.kind === "aside" && block.text === "")) row.texts.push(block.text ?? "");
      if (block.kind === "call") {
        const { id, name, input, finished = false } = block;
        row.calls.push({ id, name, input_json: input, finished });
      }
      if (block.kind === "result") {
        const { id, name, text, success } = block;
        row.results.push({ id, name: name ?? null, text: text ?? null, success });
      }
    }
    return row;
  });
}

/** Fills in what a format leaves to the other half: whether a call is finished, and the tool of a result. */
export function settle(seen: readonly Seen[]): void {
  const names = new Map<string, string | undefined>();
  const answered = new Set<string>();
  const blocks = seen.flatMap((message) => message.blocks);
  for (const block of blocks) {
    if (block.kind === "call" && block.id !== undefined) names.set(block.id, block.name);
    if (block.kind === "result" && block.id !== undefined) answered.add(block.id);
  }
  for (const block of blocks) {
    if (block.kind === "call") block.finished ??= block.id !== undefined && answered.has(block.id);
    if (block.kind === "result" && block.id !== undefined) block.name ??= names.get(block.id);
  }
}

/** The items of a list that stay, with new texts where there are such. `blockOf` gives the block of an item. */
export function kept<T>(
  items: readonly T[],
  blockOf: (item: number) => number,
  edit: Edit,
  withText?: (item: T, text: string) => T,
): T[] {
  const left: T[] = [];
  items.forEach((item, position) => {
    const block = blockOf(position);
    if (edit.isGone(block)) return;
    const text = withText && edit.textOf(block);
    left.push(text === undefined ? item : (withText as (item: T, text: string) => T)(item, text));
  });
  return left;
}

/** Texts of a list that holds nothing else, joined by line feeds; undefined where it holds more or nothing. */
export function joinedText(parts: readonly unknown[], type: string): string | undefined {
  const texts: string[] = [];
  for (const part of parts) {
    const { type: found, text } = (part ?? {}) as Fields;
    if (found !== type || typeof text !== "string") return undefined;
    texts.push(text);
  }
  return texts.length === 0 ? undefined : texts.join("\n");
}

/** The text of a value as JSON, where it is an object; what cannot be written as JSON is none. */
export function objectJson(value: unknown): string | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? jsonOf(value) : undefined;
}

/** The text of a value as JSON, where it can be written so. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Whether a text says of itself that it is a failure: one JSON object with the single key `error`. */
export function looksFailed(text: string | undefined): boolean {
  if (text === undefined || !/^\s*\{\s*"error"/.test(text)) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && Object.keys(value).join() === "error";
  } catch {
    return false;
  }
}

export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Makes calls a group, where there is more than one. `stays`: something else of the group stays. */
export function asGroup(calls: readonly CallBlock[], group: number, stays = false): void {
  if (calls.length < 2 && !stays) return;
  for (const call of calls) {
    call.group = group;
    call.groupStays = stays;
  }
}
