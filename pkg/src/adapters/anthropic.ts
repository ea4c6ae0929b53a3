/** Anthropic Messages, stable and beta. */
import type { BetaMessageParam } from "@anthropic-ai/sdk/resources/beta/messages";
import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
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
import { mapAt, messagesAt, textBlock, withPartText } from "./common/parts.js";
import type { Format } from "./common/read.js";
import type { AdapterSwitches, CompactionSettings, ThinkingSwitches } from "./common/switches.js";
import { asString, joinedText, kept, objectJson, type Seen, type SeenBlock, type Viewed } from "./common/view.js";

export type { CompactionSettings, Viewed };

/** A message of the stable or the beta interface. */
type AnthropicMessage = MessageParam | BetaMessageParam;

/** What this adapter can be told beside the request. */
export type AnthropicSwitches<M = AnthropicMessage> = AdapterSwitches<M> & ThinkingSwitches;

/**
 * `compactContext` for Anthropic messages. On models that bind thinking to everything before it, say so by
 * `prefixMismatch`, or have it removed by `stripThinkingAfterEdit`.
 *
 * @param settings the request without its messages
 */
export function compactMessages<M extends AnthropicMessage>(
  messages: readonly M[],
  settings: CompactionSettings,
  model: AnyDecisionModel,
  runtime?: RuntimeOptions & AnthropicSwitches<M>,
): Promise<CompactionResult<M>> {
  return compactAs(FORMAT, messages, settings, model, runtime);
}

/**
 * `applyDecisions` for Anthropic messages: the snapshot again under other thresholds, without asking. Pass the switches that
 * `compactMessages` had; synchronous once `init` is done.
 */
export function decideMessages<M extends AnthropicMessage>(
  messages: readonly M[],
  settings: CompactionSettings,
  decisions: readonly GivenDecision[],
  runtime?: ApplyOptions & AnthropicSwitches<M>,
): CompactionResult<M> {
  return decideAs(FORMAT, messages, settings, decisions, runtime);
}

/** `inspectRequests` for Anthropic messages. */
export function inspectMessages<M extends AnthropicMessage>(
  messages: readonly M[],
  settings: CompactionSettings,
  options?: InspectOptions & AnthropicSwitches<M>,
): Promise<InspectedRequest[]> {
  return inspectAs(FORMAT, messages, settings, options);
}

/** What keepline reads of Anthropic messages. */
export function viewMessages<M extends AnthropicMessage>(
  messages: readonly M[],
  options?: AnthropicSwitches<M>,
): Viewed[] {
  return viewAs(FORMAT, messages, options);
}

const FORMAT: Format = {
  switches: ["protectCurrentTurn", "messageId", "stripThinkingAfterEdit", "prefixMismatch"],
  see: (messages, _switches, at) => {
    const seen = mapAt(messagesAt(messages, at), at, seeMessage);
    keepPlaceOfSystem(seen);
    return seen;
  },
  checksTurn: true,
};

function seeMessage(message: Fields): Seen {
  const { role, content } = message;
  const list = Array.isArray(content) ? [...content] : [];
  const blocks: SeenBlock[] =
    typeof content === "string" ? [{ kind: "text", text: content }] : list.map((block) => seeBlock(block ?? {}));
  return {
    role: String(role),
    blocks,
    rebuild: (edit) => withFields(message, { content: kept(list, (item) => item, edit, shortened) }),
  };
}

function seeBlock(block: Fields): SeenBlock {
  switch (block.type) {
    case "text":
      return textBlock(block);
    case "thinking":
    case "redacted_thinking":
      return { kind: "thinking", signed: true };
    case "tool_use": {
      const { id, name, input, caller, toolset_name: toolset } = block;
      const callerType = (caller as Fields | null | undefined)?.type;
      return {
        kind: "call",
        id: asString(id),
        name: asString(name),
        input: objectJson(input),
        // Called by a program of the provider, or part of a toolset that has a state.
        bound: (callerType !== undefined && callerType !== "direct") || (toolset !== undefined && toolset !== null),
      };
    }
    case "tool_result": {
      const { tool_use_id: id, content, is_error: isError } = block;
      return { kind: "result", id: asString(id), text: textOf(content), success: isError !== true };
    }
    default:
      return { kind: "other" };
  }
}

function textOf(content: unknown): string | undefined {
  if (content === undefined) return "";
  return Array.isArray(content) ? joinedText(content, "text") : asString(content);
}

function shortened(block: Fields, text: string): Fields {
  return withFields(block, { content: withPartText(block.content, text, "cache_control") });
}

/** A system message inside the list must stand behind a message of the user: results in front of one stay. */
function keepPlaceOfSystem(seen: readonly Seen[]): void {
  const needed = new Set<string>();
  seen.forEach(({ role, blocks }, index) => {
    if (role !== "user" || seen[index + 1]?.role !== "system") return;
    for (const block of blocks) if (block.kind === "result" && block.id !== undefined) needed.add(block.id);
  });
  if (needed.size === 0) return;
  seen.forEach(({ blocks }, message) => {
    for (const block of blocks) {
      if (block.kind !== "call" || block.id === undefined || !needed.has(block.id)) continue;
      block.group = message;
      block.groupStays = true;
    }
  });
}
