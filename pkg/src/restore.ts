import { blockAt, byMessage } from "./apply.js";
import { use } from "./compact.js";
import { withFields } from "./copy.js";
import { readySync } from "./engine.js";
import { invalidRequest } from "./errors.js";
import { flatten } from "./flatten.js";
import { Host } from "./host.js";
import { listsOf } from "./request.js";
import { checkRuntime } from "./runtime.js";
import type { CompactionResult, Message } from "./types.js";

/**
 * Undoes one piece: the snapshot of a result with one call as it was. Synchronous once `init` is done.
 *
 * @param result what `compactContext` or `applyDecisions` returned; it may have been stored as JSON meanwhile
 * @param original the messages that were compacted
 * @param callId the call to bring back
 * @returns a new list of messages; messages and blocks that do not change are those of the result, what comes back is the
 * original's
 */
export function restore<M = Message>(result: CompactionResult<M>, original: readonly M[], callId: string): M[] {
  if (
    typeof result !== "object" ||
    result === null ||
    !Array.isArray(result.decisions) ||
    !Array.isArray(result.message_map)
  )
    throw invalidRequest("result", "result must be what compactContext or applyDecisions returned", { value: result });
  if (!Array.isArray(original))
    throw invalidRequest("original", "original must be the messages that were compacted", { value: original });
  const decision = result.decisions.find((decision) => decision.call_id === callId);
  if (!decision) throw invalidRequest("call_id", `the result has no decision about the call ${JSON.stringify(callId)}`);
  if (original.length !== result.message_map.length) {
    throw invalidRequest("original", `original must be the ${result.message_map.length} messages that were compacted`, {
      value: original.length,
    });
  }
  checkFits(result, original);
  if (!decision.applied) return [...result.messages];
  const before = removal(result, original, undefined);
  const after = removal(result, original, decision.id);
  const messages: M[] = [];
  original.forEach((message, index) => {
    const content = (message as { content: readonly object[] | string }).content;
    const mapped = result.message_map[index];
    const old = mapped === null || mapped === undefined ? undefined : result.messages[mapped];
    if (typeof content === "string" || !touches(decision, index, before, after)) {
      if (old !== undefined) messages.push(old);
      return;
    }
    const kept = keptBlocks(content, old as { content: readonly object[] } | undefined, before.get(index));
    const blocks: object[] = [];
    content.forEach((block, position) => {
      if (after.get(index)?.has(position)) return;
      const isRestored = decision.result_at[0] === index && decision.result_at[1] === position;
      blocks.push(isRestored ? block : (kept.get(position) ?? block));
    });
    if (blocks.length > 0 || content.length === 0)
      messages.push(withFields((old ?? message) as object & M, { content: blocks } as unknown as Partial<object & M>));
  });
  return messages;
}

/** Whether these are the messages that were compacted, and the snapshot is as it was returned: nothing else can be put together. */
function checkFits<M>(result: CompactionResult<M>, original: readonly M[]): void {
  const left = result.message_map.filter((index) => index !== null).length;
  if (left !== result.messages.length)
    throw invalidRequest(
      "result",
      `result.messages must be the ${left} messages that were returned, unchanged; to bring back several calls, restore each from the result and take it from there by applyDecisions`,
      {
        value: result.messages.length,
      },
    );
  const isThere = ([message, block]: [number, number], type: string, id: string) => {
    const { content } = (original[message] ?? {}) as { content?: readonly { type?: unknown; id?: unknown }[] };
    return content?.[block]?.type === type && content[block]?.id === id;
  };
  for (const { call_id, call_at, result_at } of result.decisions)
    for (const [place, type] of [
      [call_at, "tool_call"],
      [result_at, "tool_result"],
    ] as const)
      if (!isThere(place, type, call_id))
        throw invalidRequest(
          "original",
          `original must be the messages that were compacted: messages[${place[0]}].content[${place[1]}] is no ${type} of ${JSON.stringify(call_id)}`,
        );
}

type Removed = Map<number, Set<number>>;

/** The blocks that went, or that would have gone without one of the decisions. */
function removal<M>(result: CompactionResult<M>, original: readonly M[], without: string | undefined): Removed {
  const gone = result.decisions.filter(
    ({ action, applied, id }) => applied && action === "drop_call" && id !== without,
  );
  const isGone = (index: number) => result.message_map[index] === null;
  // In stub mode nothing is removed.
  const present = gone.filter(({ result_at: [message] }) => isGone(message) || shrank(result, original, message));
  const instance = readySync();
  const history = flatten(original, listsOf({}));
  const host = new Host(
    { output: () => undefined, id: (message, block) => String(blockAt(history, message, block).id) },
    checkRuntime(),
  );
  const positions = Uint32Array.from(present, ({ id }) => Number(id.slice(1)) - 1);
  const blocks = (thinking: "keep" | "drop") => {
    const settings = { goal: "restore", options: { thinking_with_call: thinking } };
    const session = instance.run(({ Session }) => Session.fromFlat(history.numbers, history.text, settings, host));
    return byMessage(use(instance, session, () => session.removal(positions)));
  };
  return blocks(droppedThinking(result, original) ? "drop" : "keep");
}

function shrank<M>(result: CompactionResult<M>, original: readonly M[], message: number): boolean {
  const mapped = result.message_map[message];
  return mapped === null || mapped === undefined || lengthOf(result.messages[mapped]) < lengthOf(original[message]);
}

function lengthOf(message: unknown): number {
  return (message as { content: { length: number } }).content.length;
}

/** Whether thinking went with its calls: then more blocks are missing than the calls and results. */
function droppedThinking<M>(result: CompactionResult<M>, original: readonly M[]): boolean {
  const ends = new Map<number, number>();
  for (const { action, applied, call_at, result_at } of result.decisions) {
    if (!applied || action !== "drop_call") continue;
    for (const [message] of [call_at, result_at]) ends.set(message, (ends.get(message) ?? 0) + 1);
  }
  return original.some((message, index) => {
    const mapped = result.message_map[index];
    const left = mapped === null || mapped === undefined ? 0 : lengthOf(result.messages[mapped]);
    return lengthOf(message) - left > (ends.get(index) ?? 0);
  });
}

function touches(
  decision: { call_at: [number, number]; result_at: [number, number] },
  index: number,
  before: Removed,
  after: Removed,
): boolean {
  return (
    decision.call_at[0] === index ||
    decision.result_at[0] === index ||
    before.get(index)?.size !== after.get(index)?.size
  );
}

/** The blocks of the result's message by their place in the original. */
function keptBlocks(
  content: readonly object[],
  old: { content: readonly object[] } | undefined,
  removed: Set<number> | undefined,
): Map<number, object> {
  const kept = new Map<number, object>();
  if (!old) return kept;
  let next = 0;
  content.forEach((_block, position) => {
    if (removed?.has(position)) return;
    const block = old.content[next++];
    if (block) kept.set(position, block);
  });
  return kept;
}
