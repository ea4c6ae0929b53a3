/** AgentScope 2.x: a list of messages, a request object with `messages`, or one message a line. */
import { applyDecisions, type CompactionRequest, compactContext, inspectRequests, type Message } from "keepline";
import { locate } from "./container.js";
import { type Fields, isObject, nearly, textOf } from "./fields.js";
import type { Format, Opened, Piece, Settings } from "./format.js";

const ROLES = ["user", "assistant", "system"];
const KINDS: Readonly<Record<string, Piece["kind"]>> = {
  text: "text",
  thinking: "thinking",
  tool_call: "call",
  tool_result: "result",
};

/** Chat Completions know roles too, but keep calls beside the content and Anthropic's blocks have other names. */
function isMessage(value: unknown): boolean {
  if (!isObject(value) || !ROLES.includes(value.role as string) || "tool_calls" in value || "parts" in value)
    return false;
  if (typeof value.content === "string") return true;
  const isBlock = (block: unknown) => isObject(block) && typeof block.type === "string" && block.type !== "tool_use";
  return Array.isArray(value.content) && value.content.every(isBlock);
}

/** Whether a message holds nothing that is AgentScope's alone. */
const isPlain = ({ content }: Fields) =>
  typeof content === "string" ||
  (content as Fields[]).every(({ type, id }) => id === undefined || (type !== "tool_call" && type !== "tool_result"));

/** The settings that a request can carry, and what they must be; the core checks the rest. */
const SETTINGS: Readonly<Record<string, (value: unknown) => boolean>> = {
  goal: (value) => typeof value === "string",
  next_action: (value) => typeof value === "string",
  eligible_tool_names: Array.isArray,
  protected_message_ids: Array.isArray,
  protected_call_ids: Array.isArray,
  task_starts: Array.isArray,
  source_refs: isObject,
  options: isObject,
  context_fill: (value) => typeof value === "number",
};

/** The settings beside the messages. What else stands there is the host's own. */
function settingsOf(holder: Fields): Partial<Settings> {
  const isRead = ([name, value]: [string, unknown]) => SETTINGS[name]?.(value) === true;
  return Object.fromEntries(Object.entries(holder).filter(isRead)) as Partial<Settings>;
}

/** Takes a history that is AgentScope's for sure, or with `isLoose` one that may be of any format, since nobody calls a tool. */
function open(document: unknown, isLoose = false): Opened | undefined {
  for (const { messages, holder, wrap } of locate(document)) {
    if (!nearly(messages, isMessage) || (!isLoose && messages.every(isPlain))) continue;
    return { messages, settings: holder ? settingsOf(holder) : {}, wrap };
  }
  return undefined;
}

function pieceOf(block: Fields): Piece {
  const kind = KINDS[block.type as string] ?? "other";
  const text = {
    text: () => textOf(block.text),
    thinking: () => textOf(block.thinking),
    call: () => textOf(block.input),
    result: () => textOf(block.output),
    other: () => JSON.stringify(block),
  }[kind]();
  const isPart = kind === "call" || kind === "result";
  return { kind, text, ...(isPart && { call_id: String(block.id), tool: String(block.name) }) };
}

const requestOf = (messages: readonly unknown[], settings: Settings) =>
  ({ ...settings, messages }) as CompactionRequest<unknown> as CompactionRequest<Message>;

export const agentscope: Format = {
  id: "agentscope",
  label: "AgentScope",
  module: "keepline",
  function: "compactContext",
  open: (document) => open(document),
  read(message) {
    const { role, id, content } = message as Fields;
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content as Fields[]);
    return { role: String(role), ...(typeof id === "string" && { id }), pieces: blocks.map(pieceOf) };
  },
  compact: (messages, settings, model, runtime) => compactContext(requestOf(messages, settings), model, runtime),
  decide: (messages, settings, decisions, runtime) => applyDecisions(requestOf(messages, settings), decisions, runtime),
  inspect: (messages, settings, options) => inspectRequests(requestOf(messages, settings), options),
};

/** Conversations without calls, of which nothing can go. */
export const plain: Format = { ...agentscope, open: (document) => open(document, true) };
