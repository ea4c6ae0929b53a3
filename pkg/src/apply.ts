import type { OutcomeArray } from "#glue";
import { withFields } from "./copy.js";
import type { Instance } from "./engine.js";
import { invalidRequest } from "./errors.js";
import { explanationReader } from "./explain.js";
import { type FlatHistory, flatten, type Lists, outputText } from "./flatten.js";
import type { ReadHistory, Rebuilt } from "./format.js";
import { marker, shortened } from "./text.js";
import type { Action, Decision, Reason } from "./types.js";

/** Numbers of one decision (src/wasm/convert.rs). */
const ROW = 13;

type Fields = Record<string, unknown>;

/** A decision and, where its output is replaced, how that is cut. */
export interface DecidedPair {
  decision: Decision;
  cut?: { head: number; tail: number; total: number };
}

/** Reads the flat decisions; `name` gives call id and tool of the call at a place. */
export function readDecisions(
  [, rows, , , explanations]: OutcomeArray,
  { actions, reasons, factors }: Pick<Instance, "actions" | "reasons" | "factors">,
  name: (message: number, block: number, index: number) => [string, string],
): DecidedPair[] {
  const pairs: DecidedPair[] = [];
  const explain = explanationReader(explanations, factors);
  for (let at = 0; at < rows.length; at += ROW) {
    const row = rows.subarray(at, at + ROW) as unknown as number[];
    const [
      callMessage,
      callBlock,
      resultMessage,
      resultBlock,
      action,
      reason,
      applied,
      saved,
      call,
      result,
      head,
      tail,
      total,
    ] = row as [number, number, number, number, number, number, number, number, number, number, number, number, number];
    const [callId, tool] = name(callMessage, callBlock, pairs.length);
    const decision: Decision = {
      id: `t${pairs.length + 1}`,
      call_id: callId,
      tool,
      call_at: [callMessage, callBlock],
      result_at: [resultMessage, resultBlock],
      action: actions[action] as Action,
      reason: reasons[reason] as Reason,
      applied: applied === 1,
      saved_chars: saved,
    };
    if (!Number.isNaN(call)) decision.keep_call = call;
    if (!Number.isNaN(result)) decision.keep_result = result;
    if (explanations.length > 0 && !Number.isNaN(call)) {
      const why = explain({ action: decision.action, applied: decision.applied, stub: !Number.isNaN(total) });
      decision.explain = why.explain;
      if (why.cuts) decision.cut = why.explain.cut;
    }
    pairs.push(Number.isNaN(total) ? { decision } : { decision, cut: { head, tail, total } });
  }
  return pairs;
}

/** Call id and tool of a call block. */
function nameAt(history: FlatHistory): (message: number, block: number) => [string, string] {
  return (message, block) => {
    const { id, name } = blockAt(history, message, block);
    return [id as string, typeof name === "string" ? name : ""];
  };
}

export function blockAt({ contents }: FlatHistory, message: number, block: number): Fields {
  return (contents[message] as readonly object[])[block] as Fields;
}

/** Reads a history of the canonical format. */
export function readCanonical(messages: readonly unknown[], lists: Lists): ReadHistory {
  const flat = flatten(messages, lists);
  return {
    ...flat,
    output: (message, block) => outputText(blockAt(flat, message, block).output),
    name: nameAt(flat),
    id: (message, block) => blockAt(flat, message, block).id as string,
    rebuild: (outcome, pairs, template): Rebuilt => ({
      messages: rebuild(flat, outcome, pairs, template, lists.references),
      map: outcome[3],
    }),
  };
}

/** The new list of messages: untouched messages are the very objects, others get a new list of blocks. */
export function rebuild(
  history: FlatHistory,
  [, , removed, map]: OutcomeArray,
  pairs: readonly DecidedPair[],
  template: string,
  references: Readonly<Record<string, string>>,
): object[] {
  const gone = byMessage(removed);
  const outputs = replacements(history, pairs, template, references);
  const messages: object[] = [];
  history.messages.forEach((message, index) => {
    if (map[index] === -1) return;
    const blocks = gone.get(index);
    const cut = outputs.get(index);
    if (!blocks && !cut) {
      messages.push(message);
      return;
    }
    const content = history.contents[index] as readonly object[];
    const kept: object[] = [];
    content.forEach((block, position) => {
      if (!blocks?.has(position)) kept.push(cut?.get(position) ?? block);
    });
    messages.push(withFields(message as Fields, { content: kept }));
  });
  return messages;
}

/** Removed blocks by message. */
export function byMessage(removed: Uint32Array): Map<number, Set<number>> {
  const gone = new Map<number, Set<number>>();
  for (let at = 0; at < removed.length; at += 2)
    add(gone, removed[at] as number, () => new Set<number>()).add(removed[at + 1] as number);
  return gone;
}

function replacements(
  history: FlatHistory,
  pairs: readonly DecidedPair[],
  template: string,
  references: Readonly<Record<string, string>>,
): Map<number, Map<number, object>> {
  const outputs = new Map<number, Map<number, object>>();
  for (const { decision, cut } of pairs) {
    if (!cut) continue;
    const [message, block] = decision.result_at;
    const original = blockAt(history, message, block);
    const text = outputText(original.output);
    // The history is read once at the start; a host that changes it meanwhile gets no mixture.
    if (text === undefined)
      throw invalidRequest(
        `messages[${message}]`,
        `messages[${message}] was changed while the decision model was asked`,
      );
    const id = decision.call_id;
    const reference = Object.hasOwn(references, id) ? references[id] : undefined;
    const output = withText(original.output, cutText(text, id, cut, template, reference));
    add(outputs, message, () => new Map<number, object>()).set(block, withFields(original, { output }));
  }
  return outputs;
}

/** A shortened output: head, marker and tail. */
export function cutText(
  text: string,
  id: string,
  { head, tail, total }: NonNullable<DecidedPair["cut"]>,
  template: string,
  reference: string | undefined,
): string {
  return shortened(text, head, tail, marker(template, total - head - tail, total, id, reference));
}

/** A string stays a string; a list of text blocks becomes a list of one, with the first block's fields. */
function withText(output: unknown, text: string): unknown {
  return Array.isArray(output) ? [withFields(output[0] as Fields, { text })] : text;
}

/** The value of a key, made where there is none. */
export function add<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
