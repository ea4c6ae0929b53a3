/** AgentScope 2.x: a list of messages, a request object with `messages`, or one message a line. */
import { applyDecisions, type CompactionRequest, compactContext, inspectRequests, type Message } from "keepline";
import type { Format, Opened, Piece, Settings } from "./format.js";

type Fields = Record<string, unknown>;

const ROLES = ["user", "assistant", "system"];
const KINDS: Readonly<Record<string, Piece["kind"]>> = {
  text: "text",
  thinking: "thinking",
  tool_call: "call",
  tool_result: "result",
};

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Chat Completions know roles too, but keep calls beside the content and Anthropic's blocks have other names. */
function isMessage(value: unknown): boolean {
  if (!isObject(value) || !ROLES.includes(value.role as string) || "tool_calls" in value) return false;
  if (typeof value.content === "string") return true;
  const isBlock = (block: unknown) => isObject(block) && typeof block.type === "string" && block.type !== "tool_use";
  return Array.isArray(value.content) && value.content.every(isBlock);
}

function isList(value: unknown): value is Fields[] {
  return Array.isArray(value) && value.length > 0 && value.every(isMessage);
}

const LISTS = ["eligible_tool_names", "protected_message_ids", "protected_call_ids"];

/** The settings that a request object carries; those that the page reads itself only where they are what they should be. */
function settingsOf({ messages: _, ...rest }: Fields): Partial<Settings> {
  const isRead = ([name, value]: [string, unknown]) =>
    name === "goal" || name === "next_action"
      ? typeof value === "string"
      : !LISTS.includes(name) || Array.isArray(value);
  return Object.fromEntries(Object.entries(rest).filter(isRead)) as Partial<Settings>;
}

function open(document: unknown): Opened | undefined {
  if (isList(document)) return { messages: document, settings: {}, wrap: (messages) => messages };
  if (!isObject(document) || !isList(document.messages)) return undefined;
  return {
    messages: document.messages,
    settings: settingsOf(document),
    wrap: (messages) => ({ ...document, messages }),
  };
}

/** The text of an output or a content; what is not text is shown as JSON. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return value === undefined ? "" : JSON.stringify(value);
  return value
    .map((block) => (isObject(block) && typeof block.text === "string" ? block.text : JSON.stringify(block)))
    .join("\n");
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
  open,
  read(message) {
    const { role, id, content } = message as Fields;
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content as Fields[]);
    return { role: String(role), ...(typeof id === "string" && { id }), pieces: blocks.map(pieceOf) };
  },
  compact: (messages, settings, model, runtime) => compactContext(requestOf(messages, settings), model, runtime),
  decide: (messages, settings, decisions, runtime) => applyDecisions(requestOf(messages, settings), decisions, runtime),
  inspect: (messages, settings, options) => inspectRequests(requestOf(messages, settings), options),
};
