/** The promises of the contract that can be checked on any request and its result. Written against the contract, not the code. */
import type { CompactionRequest, CompactionResult, Decision } from "keepline";

type Block = Record<string, unknown> & { type: string };
type Json = Record<string, unknown>;

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function blocksOf(message: unknown): readonly Block[] {
  const { content } = message as { content: unknown };
  return Array.isArray(content) ? content : [];
}

/** Calls and results in order, as `call id` or `result id`. */
function ends(messages: readonly unknown[]): string[] {
  return messages.flatMap((message) =>
    blocksOf(message)
      .filter(({ type }) => type === "tool_call" || type === "tool_result")
      .map(({ type, id }) => `${type === "tool_call" ? "call" : "result"} ${String(id)}`),
  );
}

/** Ends without as many partners. */
function orphans(messages: readonly unknown[]): Set<string> {
  const balance = new Map<string, number>();
  const all = ends(messages);
  for (const end of all) {
    const [kind, id] = end.split(/ (.*)/s) as [string, string];
    balance.set(id, (balance.get(id) ?? 0) + (kind === "call" ? 1 : -1));
  }
  return new Set(all.filter((end) => balance.get(end.slice(end.indexOf(" ") + 1)) !== 0));
}

/** Which messages the contract protects. */
function protectedMessages({ messages, protected_message_ids = [], options = {} }: CompactionRequest): boolean[] {
  const recent = messages.length - (options.preserve_recent_messages ?? 6);
  return messages.map(
    ({ role, id }, index) =>
      index === 0 || index >= recent || role === "system" || (id !== undefined && protected_message_ids.includes(id)),
  );
}

/** Everything that is wrong with a result; nothing when it keeps the promises. */
export function violations(request: CompactionRequest, result: CompactionResult): string[] {
  const found: string[] = [];
  const must = (holds: boolean, what: string) => {
    if (!holds) found.push(what);
  };
  const before = request.messages;
  const { messages: after, decisions, message_map: map, stats } = result;
  const known = orphans(before);
  for (const orphan of orphans(after)) must(known.has(orphan), `a new orphan: ${orphan}`);
  must(isSubsequence(ends(after), ends(before)), "the order of calls and results");
  must(map.length === before.length, "message_map has an entry for each message");
  must(
    same(
      map.filter((index) => index !== null),
      after.map((_, index) => index),
    ),
    "message_map counts the result",
  );
  protectedMessages(request).forEach((isProtected, index) => {
    if (isProtected) must(same(before[index], after[map[index] ?? -1]), `the protected message ${index} is equal`);
  });
  must(same(after, rebuilt(request, result)), "input and decisions rebuild the output");
  must(result.changed === !same(before, after), "changed tells whether anything changed");
  must(result.changed === (result.reason === "compacted"), "the reason fits");
  must(
    decisions.every(({ id }, index) => id === `t${index + 1}`),
    "decisions are named in order",
  );
  checkCounts(result, must);
  must(stats.first_changed_message === firstDifference(before, after, map), "first_changed_message");
  return found;
}

function checkCounts(
  { decisions, stats, changed }: CompactionResult,
  must: (holds: boolean, what: string) => void,
): void {
  const actions = { keep: 0, drop_result: 0, drop_call: 0 };
  for (const decision of decisions) {
    actions[decision.action]++;
    must(decision.applied || decision.saved_chars === 0, `${decision.id} saves only what it does`);
    must(decision.action !== "keep" || !decision.applied, `${decision.id} keeps`);
    if (decision.keep_call === undefined) must(decision.action === "keep", `${decision.id} is kept without an answer`);
  }
  must(same(actions, stats.actions), "actions are counted");
  must(stats.candidates + stats.protected === decisions.length, "pairs are candidates or protected");
  must(changed === decisions.some(({ applied }) => applied), "changed tells of an applied decision");
  if (stats.chars_before !== null && stats.chars_after !== null)
    must(stats.chars_after <= stats.chars_before, "characters never grow");
}

function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let next = 0;
  for (const item of whole) if (item === part[next]) next++;
  return next === part.length;
}

function firstDifference(
  before: readonly unknown[],
  after: readonly unknown[],
  map: readonly (number | null)[],
): number | null {
  const index = before.findIndex((message, position) => !same(message, after[map[position] ?? -1]));
  return index < 0 ? null : index;
}

/** The snapshot made again from the input and the decisions; a shortened output is taken over once it has the right form. */
function rebuilt(
  request: CompactionRequest,
  { messages: after, decisions, message_map: map }: CompactionResult,
): unknown[] {
  const removed = new Set<string>();
  const shortened = new Map<string, Decision>();
  const stub = request.options?.drop_call_mode === "stub";
  for (const decision of decisions) {
    if (!decision.applied) continue;
    if (decision.action === "drop_call" && !stub)
      for (const [message, block] of [decision.call_at, decision.result_at]) removed.add(`${message} ${block}`);
    else shortened.set(decision.result_at.join(" "), decision);
  }
  const dropThinking = request.options?.thinking_with_call === "drop";
  return request.messages.flatMap<unknown>((message, index) => {
    const blocks = blocksOf(message);
    const isGone = (block: number) =>
      removed.has(`${index} ${block}`) ||
      (dropThinking && ledOnlyToRemoved(blocks, block, (other) => removed.has(`${index} ${other}`)));
    const kept = blocks.map((block, position) => ({ block, position })).filter(({ position }) => !isGone(position));
    const touched = kept.length < blocks.length || kept.some(({ position }) => shortened.has(`${index} ${position}`));
    if (!touched) return [message];
    const emptied =
      kept.length === 0 ||
      (dropThinking && kept.length < blocks.length && kept.every(({ block }) => block.type === "thinking"));
    if (emptied) return [];
    const now = blocksOf(after[map[index] ?? -1]);
    const content = kept.map(({ block, position }, place) =>
      shortened.has(`${index} ${position}`) ? withOutput(block, now[place]) : block,
    );
    return [{ ...message, content }];
  });
}

function ledOnlyToRemoved(blocks: readonly Block[], position: number, isRemoved: (block: number) => boolean): boolean {
  if (blocks[position]?.type !== "thinking") return false;
  let start = position;
  while (blocks[start]?.type === "thinking") start++;
  let end = start;
  while (end < blocks.length && blocks[end]?.type !== "thinking") end++;
  for (let block = start; block < end; block++) if (!isRemoved(block)) return false;
  return end > start;
}

const MARKER = /^\[… (?:(\d+) of (\d+) characters left out, call .*|(\d+) 个字符中略去了 (\d+) 个，调用 .*)\]$/;

/** A block with the output of the result, when that is a head, a marker and a tail of the block's own text. */
function withOutput(block: Block, now: Block | undefined): Json {
  const old = textOf(block.output);
  const text = textOf(now?.output);
  if (old === undefined || text === undefined || !isShortened(old, text))
    return { ...block, output: "no head, marker and tail of the output" };
  return { ...block, output: Array.isArray(block.output) ? [{ ...(block.output[0] as Json), text }] : text };
}

/** Whether some line of a text is the marker for what is missing of another; a quoted marker may stand beside it. */
function isShortened(old: string, text: string): boolean {
  const lines = text.split("\n");
  const size = (value: string) => [...value].length;
  return lines.some((line, at) => {
    const [, left, total, totalChinese, leftChinese] = MARKER.exec(line) ?? [];
    const head = lines.slice(0, at).join("\n");
    const tail = lines.slice(at + 1).join("\n");
    const counts =
      size(old) === Number(total ?? totalChinese) &&
      size(head) + size(tail) + Number(left ?? leftChinese) === size(old);
    return counts && old.startsWith(head) && old.endsWith(tail) && size(text) < size(old);
  });
}

function textOf(output: unknown): string | undefined {
  if (typeof output === "string") return output;
  return Array.isArray(output) ? output.map((block: Json) => block.text).join("\n") : undefined;
}
