/** OpenAI Chat Completions messages, and the many servers that speak this dialect. */
import type { ChatCompletionMessageParam, ChatCompletionToolMessageParam } from "openai/resources/chat/completions";
import { withFields } from "../copy.js";
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
import { joinedFields, mapAt, messagesAt, partTexts, withoutField, withPartText } from "./common/parts.js";
import type { Format } from "./common/read.js";
import {
  type AdapterSwitches,
  type CompactionSettings,
  type ErrorSwitch,
  failed,
  type Switches,
} from "./common/switches.js";
import {
  asGroup,
  asString,
  type CallBlock,
  joinedText,
  kept,
  type Seen,
  type SeenBlock,
  type Viewed,
} from "./common/view.js";

export type { CompactionSettings, Viewed };

/** What this adapter can be told beside the request. */
export interface ChatSwitches<M = ChatCompletionMessageParam>
  extends AdapterSwitches<M>,
    ErrorSwitch<ChatCompletionToolMessageParam> {
  /**
   * Make one of the agent's messages that touch since something between them went, for servers whose chat template insists
   * on turns. By default only text in front of a call of Google, which signs its calls, moves into the message of that call.
   */
  mergeModelTurns?: boolean;
}

/**
 * `compactContext` for Chat Completions messages. Results do not say whether they failed: tell by `isError`.
 *
 * @param settings the request without its messages
 */
export function compactMessages<M extends ChatCompletionMessageParam>(
  messages: readonly M[],
  settings: CompactionSettings,
  model: AnyDecisionModel,
  runtime?: RuntimeOptions & ChatSwitches<M>,
): Promise<CompactionResult<M>> {
  return compactAs(FORMAT, messages, settings, model, runtime);
}

/**
 * `applyDecisions` for Chat Completions messages: the snapshot again under other thresholds, without asking. Pass the switches that
 * `compactMessages` had; synchronous once `init` is done.
 */
export function decideMessages<M extends ChatCompletionMessageParam>(
  messages: readonly M[],
  settings: CompactionSettings,
  decisions: readonly GivenDecision[],
  runtime?: ApplyOptions & ChatSwitches<M>,
): CompactionResult<M> {
  return decideAs(FORMAT, messages, settings, decisions, runtime);
}

/** `inspectRequests` for Chat Completions messages. */
export function inspectMessages<M extends ChatCompletionMessageParam>(
  messages: readonly M[],
  settings: CompactionSettings,
  options?: InspectOptions & ChatSwitches<M>,
): Promise<InspectedRequest[]> {
  return inspectAs(FORMAT, messages, settings, options);
}

/** What keepline reads of Chat Completions messages. */
export function viewMessages<M extends ChatCompletionMessageParam>(
  messages: readonly M[],
  options?: ChatSwitches<M>,
): Viewed[] {
  return viewAs(FORMAT, messages, options);
}

const FORMAT: Format = {
  switches: ["protectCurrentTurn", "messageId", "isError", "mergeModelTurns"],
  see: (messages, switches, at) =>
    mapAt(messagesAt(messages, at), at, (message, index) =>
      message.role === "tool" ? seeResult(message, switches) : seeMessage(message, index),
    ),
  checksTurn: false,
  merges: (messages, { mergeModelTurns }) => {
    if (mergeModelTurns !== undefined) return mergeModelTurns && "all";
    const callsOf = ({ tool_calls: calls }: Fields) => (Array.isArray(calls) ? calls : []);
    return messages.some((message) => callsOf(message as Fields).some(isGoogles)) && "calls";
  },
  merge: (earlier, later) => joinedFields(earlier as Fields, later as Fields),
};

function seeResult(message: Fields, switches: Switches): Seen {
  const { tool_call_id: id, content } = message;
  const parts = Array.isArray(content) ? [...content] : content;
  const text = Array.isArray(parts) ? joinedText(parts, "text") : asString(parts);
  return {
    role: "tool",
    blocks: [{ kind: "result", id: asString(id), text, success: !failed(switches, message, text) }],
    rebuild: ({ textOf }) =>
      withFields(message, { content: withPartText(parts, textOf(0) as string, "prompt_cache_breakpoint") }),
  };
}

function seeMessage(message: Fields, index: number): Seen {
  const { role, content, tool_calls: calls } = message;
  // What a legacy function gave back is output, which nobody is shown.
  const isOutput = role === "function";
  const blocks: SeenBlock[] = isOutput ? [{ kind: "other" }] : partTexts(content, (part) => part.type === "text");
  const { refusal, audio, function_call: legacy } = message;
  // Without one of these a message whose calls go is empty, whatever reasoning it carries.
  for (const rest of [refusal, audio, legacy]) if (rest) blocks.push({ kind: "other" });
  const first = blocks.length;
  const list: unknown[] = Array.isArray(calls) ? [...calls] : [];
  const made = list.map(seeCall);
  if (made.some(({ signed }) => signed)) asGroup(made, index);
  blocks.push(...made);
  return {
    role: String(role),
    blocks,
    rebuild: (edit) => {
      const left = kept(list, (item) => first + item, edit);
      return left.length > 0 ? withFields(message, { tool_calls: left }) : withoutField(message, "tool_calls");
    },
  };
}

function seeCall(value: unknown): CallBlock {
  const call = (value ?? {}) as Fields;
  const isCustom = call.type === "custom";
  const { name, arguments: input, input: text } = ((isCustom ? call.custom : call.function) ?? {}) as Fields;
  return {
    kind: "call",
    id: asString(call.id),
    name: asString(name),
    input: asString(isCustom ? text : input),
    // The input of a custom call is free text, even where it looks like JSON.
    bound: isCustom,
    ...(isGoogles(call) && { signed: true }),
  };
}

/** Whether a call carries a signature of Google. */
function isGoogles(call: unknown): boolean {
  const extra = (call as Fields | null)?.extra_content as { google?: Fields } | null | undefined;
  return extra?.google?.thought_signature !== undefined;
}
