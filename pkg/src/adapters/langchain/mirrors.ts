/** Every place in which a LangChain message repeats its tool calls: a call that goes must go from all of them. */
import { withFields } from "../../copy.js";
import type { Fields } from "../../flatten.js";

/** Maps by call id. */
const MAPS = [
  "__openai_function_call_ids__",
  "__openai_custom_tool_call_ids__",
  "__gemini_function_call_thought_signatures__",
];

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map((item) => item ?? {}) : []);
export const fieldsOf = (value: unknown): Fields =>
  (typeof value === "object" && value !== null ? value : {}) as Fields;

/**
 * The calls that the blocks of a content repeat: an id for each block, null where it repeats one that cannot be told, undefined where
 * it repeats none. Streamed input names its call by a number; Google's calls stand in the order of the message's.
 */
export function mirroredCalls(
  content: readonly unknown[],
  calls: readonly { id: string | undefined; name: string | undefined }[],
): (string | null | undefined)[] {
  const blocks = content.map(fieldsOf);
  const ids = blocks.map(namedCall);
  const byNumber = new Map<unknown, string | null>();
  blocks.forEach(({ index }, position) => {
    const id = ids[position];
    if (index === undefined || typeof id !== "string") return;
    byNumber.set(index, (byNumber.get(index) ?? id) === id ? id : null);
  });
  const googles = blocks.filter(({ type }) => type === "functionCall");
  const inOrder =
    googles.length === calls.length &&
    googles.every(({ functionCall }, position) => fieldsOf(functionCall).name === calls[position]?.name);
  let next = 0;
  return blocks.map(({ type, index }, position) => {
    if (type === "input_json_delta") return byNumber.get(index) ?? null;
    if (type !== "functionCall") return ids[position];
    const call = calls[next++];
    return ids[position] ?? (inOrder ? (call?.id ?? null) : null);
  });
}

/** The call that a block names: its id, or null where it is one without a name. */
function namedCall(block: Fields): string | null | undefined {
  const { type, id, call_id: callId, functionCall } = block;
  const named = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);
  switch (type) {
    case "tool_use":
    case "tool_call":
    case "tool_call_chunk":
      return named(id);
    case "function_call":
      return named(callId);
    case "functionCall":
      return named(fieldsOf(functionCall).id);
    default:
      return undefined;
  }
}

/** What the provider's own output of a message holds beside calls and reasoning. */
export function otherOutput(fields: Fields): Fields[] {
  const output = listOf(fieldsOf(fields.response_metadata).output);
  return output.filter(({ type }) => type !== "reasoning" && type !== "function_call");
}

/** Whether one reasoning item leads the calls of a message. */
export function hasReasoningItem(fields: Fields): boolean {
  const items = [
    ...listOf(fields.content),
    ...listOf(fields.content_blocks),
    ...listOf(fieldsOf(fields.response_metadata).output),
  ];
  const isItem = ({ type, id }: Fields) => type === "reasoning" && typeof id === "string" && id.startsWith("rs_");
  return items.some(isItem) || fieldsOf(fields.additional_kwargs).reasoning !== undefined;
}

/** Whether the first item that reasoning led to is a call, and something that is no call came from it as well. */
export function leadsMore(fields: Fields): boolean {
  return runsOf(listOf(fieldsOf(fields.response_metadata).output)).some(({ leads, items }) => {
    const isCall = ({ type }: Fields) => type === "function_call";
    return leads.length > 0 && items[0] !== undefined && isCall(items[0]) && !items.every(isCall);
  });
}

/** Signatures of Google by call id. */
export function signatures(fields: Fields): Fields {
  return fieldsOf(fieldsOf(fields.additional_kwargs).__gemini_function_call_thought_signatures__);
}

/** Ids of calls whose input is free text. */
export function customIds(fields: Fields): string[] {
  return Object.keys(fieldsOf(fieldsOf(fields.additional_kwargs).__openai_custom_tool_call_ids__));
}

interface Run {
  leads: Fields[];
  items: Fields[];
}

/** Reasoning and the items behind it. */
function runsOf(output: readonly Fields[]): Run[] {
  const runs: Run[] = [{ leads: [], items: [] }];
  for (const item of output) {
    const last = runs.at(-1) as Run;
    if (item.type !== "reasoning") last.items.push(item);
    else if (last.items.length === 0) last.leads.push(item);
    else runs.push({ leads: [item], items: [] });
  }
  return runs;
}

/** The fields that change when some calls go, apart from the content. */
export function withoutCalls(fields: Fields, gone: ReadonlySet<unknown>): Fields {
  const changes: Fields = { tool_calls: listOf(fields.tool_calls).filter(({ id }) => !gone.has(id)) };
  const chunks = listOf(fields.tool_call_chunks);
  if (chunks.length > 0) {
    // Only the first chunk of a call names it.
    const indexes = new Set(chunks.filter(({ id }) => gone.has(id)).map(({ index }) => index));
    const isGone = ({ id, index }: Fields) => gone.has(id) || ((id === undefined || id === null) && indexes.has(index));
    changes.tool_call_chunks = chunks.filter((chunk) => !isGone(chunk));
  }
  const extras = fieldsOf(fields.additional_kwargs);
  const newExtras = withoutExtras(extras, gone);
  if (newExtras !== extras) changes.additional_kwargs = newExtras;
  const metadata = fieldsOf(fields.response_metadata);
  const output = listOf(metadata.output);
  if (output.some(({ call_id: id }) => gone.has(id))) {
    const left = runsOf(output).flatMap(({ leads, items }) => {
      const kept = items.filter(({ call_id: id }) => !gone.has(id));
      return kept.length > 0 || items.length === 0 ? [...leads, ...kept] : [];
    });
    changes.response_metadata = withFields(metadata, { output: left });
  }
  return changes;
}

function withoutExtras(extras: Fields, gone: ReadonlySet<unknown>): Fields {
  let copy = extras;
  const calls = listOf(extras.tool_calls);
  if (calls.some(({ id }) => gone.has(id))) {
    const left = calls.filter(({ id }) => !gone.has(id));
    copy = withFields(copy, { tool_calls: left });
    if (left.length === 0) delete copy.tool_calls;
  }
  for (const name of MAPS) {
    const map = fieldsOf(extras[name]);
    if (!Object.keys(map).some((id) => gone.has(id))) continue;
    copy = withFields(copy, { [name]: Object.fromEntries(Object.entries(map).filter(([id]) => !gone.has(id))) });
  }
  return copy;
}
