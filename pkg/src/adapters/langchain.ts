/** Messages of LangChain.js: instances, their JSON, stored and flat messages. */
import type { BaseMessage, StoredMessage } from "@langchain/core/messages";
import type { Fields } from "../flatten.js";
import type {
  AnyDecisionModel,
  ApplyOptions,
  CompactionResult,
  GivenDecision,
  InspectedRequest,
  InspectOptions,
  RuntimeOptions,
} from "../types.js";
import { compactAs, decideAs, inspectAs, viewAs } from "./common/adapter.js";
import { joinedContent, mapAt, messagesAt, textBlock, withPartText } from "./common/parts.js";
import type { Format } from "./common/read.js";
import type { AdapterSwitches, CompactionSettings, GoogleSwitch, ThinkingSwitches } from "./common/switches.js";
import {
  asGroup,
  asString,
  type CallBlock,
  joinedText,
  kept,
  objectJson,
  type Seen,
  type SeenBlock,
  type Viewed,
} from "./common/view.js";
import {
  customIds,
  fieldsOf,
  hasReasoningItem,
  leadsMore,
  mirroredCalls,
  otherOutput,
  signatures,
  withoutCalls,
} from "./langchain/mirrors.js";
import { type Shape, shapeOf } from "./langchain/shape.js";

export type { CompactionSettings, Viewed };

/** An instance as JSON. */
interface SerializedMessage {
  lc: number;
  type: string;
  id: string[];
  kwargs: object;
}

/** A plain object with the fields of a message. */
interface FlatMessage {
  type?: string;
  role?: string;
  content: unknown;
}

type LangChainMessage = BaseMessage | StoredMessage | SerializedMessage | FlatMessage;

/** What this adapter can be told beside the request. */
export type LangChainSwitches<M = LangChainMessage> = AdapterSwitches<M> & ThinkingSwitches & GoogleSwitch;

/**
 * `compactContext` for messages of LangChain.js. Every message comes back in its own shape; a call that goes is removed from
 * every place that repeats it. Use it on what is sent to the model, not on the state of a graph, whose reducer keeps what
 * is missing.
 *
 * @param settings the request without its messages
 */
export function compactMessages<M extends LangChainMessage>(
  messages: readonly M[],
  settings: CompactionSettings,
  model: AnyDecisionModel,
  runtime?: RuntimeOptions & LangChainSwitches<M>,
): Promise<CompactionResult<M>> {
  return compactAs(FORMAT, messages, settings, model, runtime);
}

/**
 * `applyDecisions` for messages of LangChain.js: the snapshot again under other thresholds, without asking. Pass the switches that
 * `compactMessages` had; synchronous once `init` is done.
 */
export function decideMessages<M extends LangChainMessage>(
  messages: readonly M[],
  settings: CompactionSettings,
  decisions: readonly GivenDecision[],
  runtime?: ApplyOptions & LangChainSwitches<M>,
): CompactionResult<M> {
  return decideAs(FORMAT, messages, settings, decisions, runtime);
}

/** `inspectRequests` for messages of LangChain.js. */
export function inspectMessages<M extends LangChainMessage>(
  messages: readonly M[],
  settings: CompactionSettings,
  options?: InspectOptions & LangChainSwitches<M>,
): Promise<InspectedRequest[]> {
  return inspectAs(FORMAT, messages, settings, options);
}

/** What keepline reads of messages of LangChain.js. */
export function viewMessages<M extends LangChainMessage>(
  messages: readonly M[],
  options?: LangChainSwitches<M>,
): Viewed[] {
  return viewAs(FORMAT, messages, options);
}

const FORMAT: Format = {
  switches: ["protectCurrentTurn", "messageId", "stripThinkingAfterEdit", "prefixMismatch", "mergeModelTurns"],
  see: (messages, _switches, at) => {
    const shapes = mapAt(messagesAt(messages, at), at, shapeOf);
    const bound = new Set<unknown>();
    mapAt(shapes, at, ({ type, fields }) => {
      const extras = fieldsOf(fields.additional_kwargs);
      const isSpecial = extras.customTool === true || extras.type === "computer_call_output";
      if (type === "tool" && isSpecial) bound.add(fields.tool_call_id);
    });
    return mapAt(shapes, at, (shape, index) => {
      if (shape.type === "tool") return seeResult(shape);
      return shape.type === "ai" ? seeAnswer(shape, index, bound) : seeOther(shape);
    });
  },
  checksTurn: "signed",
  merges: (messages, { mergeModelTurns }) =>
    (mergeModelTurns ?? messages.some((message) => isGoogles(shapeOf(message as Fields).fields))) && "calls",
  merge: (earlier, later) => {
    const [one, other] = [earlier, later].map((message) => shapeOf(message as Fields)) as [Shape, Shape];
    return other.build({ content: joinedContent(contentOf(one.fields), contentOf(other.fields)) });
  },
};

function contentOf({ content, content_blocks: blocks }: Fields): unknown {
  return content ?? blocks;
}

/** Whether Google wrote a message. */
function isGoogles(fields: Fields): boolean {
  const { model_provider: provider } = fieldsOf(fields.response_metadata);
  const content = contentOf(fields);
  return (
    String(provider ?? "").startsWith("google") ||
    Object.keys(signatures(fields)).length > 0 ||
    (Array.isArray(content) && content.some((block) => block?.type === "functionCall"))
  );
}

function seeResult({ fields, build }: Shape): Seen {
  const { id, tool_call_id: callId, name, status } = fields;
  const content = contentOf(fields);
  const parts = Array.isArray(content) ? [...content] : content;
  const text = Array.isArray(parts) ? joinedText(parts, "text") : asString(parts);
  return {
    role: "tool",
    id: asString(id),
    blocks: [{ kind: "result", id: asString(callId), name: asString(name), text, success: status !== "error" }],
    rebuild: ({ textOf }) => build({ content: withPartText(parts, textOf(0) as string, "cache_control") }),
  };
}

const ROLES: Readonly<Record<string, string>> = { human: "user", ai: "assistant", system: "system" };

/** What people and instructions say. */
function seeOther({ type, fields, build }: Shape): Seen {
  const content = contentOf(fields);
  const role = type === "generic" ? String(fields.role) : (ROLES[type] ?? type);
  const list = Array.isArray(content) ? content : [];
  const said = Array.isArray(content) ? list.map((block) => seeBlock(block ?? {})) : textBlocks(content);
  // What a legacy function gave back is output, which nobody is shown.
  const blocks: SeenBlock[] = type === "function" ? [{ kind: "other" }] : said;
  const continues = list.some((block) => block?.type === "tool_result");
  return { role, id: asString(fields.id), blocks, continues, rebuild: () => build({}) };
}

const textBlocks = (content: unknown): SeenBlock[] =>
  typeof content === "string" && content !== "" ? [{ kind: "text", text: content }] : [];

function seeBlock(block: Fields): SeenBlock {
  const { type, signature } = block;
  switch (type) {
    case "text":
      return textBlock(block);
    case "thinking":
    case "redacted_thinking":
      return { kind: "thinking", signed: type === "redacted_thinking" || typeof signature === "string" };
    case "reasoning":
    case "reasoning_content":
      return { kind: "thinking" };
    default:
      return { kind: "other" };
  }
}

function seeAnswer({ fields, build }: Shape, index: number, bound: ReadonlySet<unknown>): Seen {
  const content = contentOf(fields);
  const list = Array.isArray(content) ? [...content] : undefined;
  const calls = seeCalls(fields, bound);
  const mirrored = mirroredCalls(list ?? [], calls);
  const rest = new Map(calls.map((call) => [call.id, call]));
  const blocks = list
    ? list.map((block, position) => contentBlock(block ?? {}, mirrored[position], calls, rest))
    : textBlocks(content);
  for (const _ of otherOutput(fields)) blocks.push({ kind: "other" });
  for (const call of calls) if (!blocks.includes(call)) blocks.push(call);
  tie(fields, list ?? [], mirrored.includes(null), calls, index);
  return {
    role: "assistant",
    id: asString(fields.id),
    blocks,
    rebuild: (edit) => {
      const gone = new Set<unknown>();
      blocks.forEach((block, position) => {
        if (block.kind === "call" && edit.isGone(position)) gone.add(block.id);
      });
      const left = list && kept(list, (item) => item, edit);
      return build({
        ...(list && left && left.length < list.length && { content: left }),
        ...(gone.size > 0 && withoutCalls(fields, gone)),
      });
    },
  };
}

/** A block of the content: a call stands where the content repeats it first. */
function contentBlock(
  block: Fields,
  id: string | null | undefined,
  calls: readonly CallBlock[],
  rest: Map<string | undefined, CallBlock>,
): SeenBlock {
  if (typeof id !== "string") return seeBlock(block);
  const call = rest.get(id);
  rest.delete(id);
  if (call) return call;
  return calls.some((other) => other.id === id) ? { kind: "attachment", of: id } : { kind: "other" };
}

function seeCalls(fields: Fields, bound: ReadonlySet<unknown>): CallBlock[] {
  const { tool_calls: calls } = fields;
  const signed = signatures(fields);
  const custom = customIds(fields);
  return (Array.isArray(calls) ? calls : []).map((value: Fields | null) => {
    const call = value ?? {};
    const { id, name, args, isCustomTool } = call;
    const wire = fieldsOf(call.function);
    const isBound = bound.has(id) || custom.includes(String(id)) || isCustomTool === true;
    return {
      kind: "call",
      id: asString(id),
      name: asString(name ?? wire.name),
      input: args === undefined ? asString(wire.arguments) : objectJson(args),
      bound: isBound,
      ...(Object.hasOwn(signed, String(id)) && { signed: true }),
    };
  });
}

/** Says what the calls of a message share, and what keeps them from going. */
function tie(
  fields: Fields,
  list: readonly unknown[],
  isNameless: boolean,
  calls: readonly CallBlock[],
  index: number,
): void {
  const { function_call: legacy, tool_outputs: outputs } = fieldsOf(fields.additional_kwargs);
  const { invalid_tool_calls: invalid } = fields;
  const holds = (value: unknown) => Array.isArray(value) && value.length > 0;
  // Which of the calls these repeat cannot be told, or they need the message that the calls are in.
  if (legacy || holds(outputs) || holds(invalid) || isNameless) for (const call of calls) call.bound = true;
  const isSigned = calls.some(({ signed }) => signed) || list.some(hasSignature);
  if (isSigned || hasReasoningItem(fields)) asGroup(calls, index, leadsMore(fields));
}

/** Whether a call of Google carries its signature in the content. */
function hasSignature(block: unknown): boolean {
  const { type, thoughtSignature } = fieldsOf(block);
  return type === "functionCall" && thoughtSignature !== undefined;
}
