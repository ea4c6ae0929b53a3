/** Messages of providers: what is AgentScope's is settled before, so these may be loaded when a file needs them. */
import * as anthropic from "keepline/anthropic";
import * as openaiChat from "keepline/openai-chat";
import type { Format, Opened, Piece, Settings } from "./format.js";

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The functions of an adapter, for messages of any kind. */
interface Adapter {
  compactMessages(messages: readonly never[], settings: never, model: never, runtime?: never): Promise<unknown>;
  decideMessages(messages: readonly never[], settings: never, decisions: never, runtime?: never): unknown;
  inspectMessages(messages: readonly never[], settings: never, options?: never): Promise<unknown>;
}

/** A format of an adapter; protected messages are named by their place. */
function vendor(
  head: Pick<Format, "id" | "label" | "module">,
  adapter: Adapter,
  isOurs: (messages: readonly Fields[]) => boolean,
  pieces: (message: Fields) => Piece[],
): Format {
  const messageId = (_message: unknown, index: number) => `m${index}`;
  const numbers = new WeakMap<object, string>();
  const isList = (value: unknown): value is Fields[] =>
    Array.isArray(value) && value.length > 0 && value.every(isObject) && isOurs(value);
  const open = (document: unknown): Opened | undefined => {
    const messages = isObject(document) ? document.messages : document;
    if (!isList(messages)) return undefined;
    messages.forEach((message, index) => {
      numbers.set(message, messageId(message, index));
    });
    const wrap = (left: readonly unknown[]) => (isObject(document) ? { ...document, messages: left } : left);
    return { messages, settings: {}, wrap };
  };
  const rest = (settings: Settings) => settings as never;
  return {
    ...head,
    function: "compactMessages",
    open,
    read(message) {
      const id = numbers.get(message as object);
      return { role: String((message as Fields).role), ...(id && { id }), pieces: pieces(message as Fields) };
    },
    compact: (messages, settings, model, runtime) =>
      adapter.compactMessages(
        messages as never[],
        rest(settings),
        model as never,
        { ...runtime, messageId } as never,
      ) as ReturnType<Format["compact"]>,
    decide: (messages, settings, decisions, runtime) =>
      adapter.decideMessages(
        messages as never[],
        rest(settings),
        decisions as never,
        { ...runtime, messageId } as never,
      ) as ReturnType<Format["decide"]>,
    inspect: (messages, settings, options) =>
      adapter.inspectMessages(messages as never[], rest(settings), { ...options, messageId } as never) as ReturnType<
        Format["inspect"]
      >,
  };
}

/** Text of a content: a string, or parts with text. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((part) => (isObject(part) && typeof part.text === "string" ? part.text : JSON.stringify(part)))
    .join("\n");
}

const part = (block: unknown): Piece =>
  isObject(block) && typeof block.text === "string"
    ? { kind: "text", text: block.text }
    : { kind: "other", text: JSON.stringify(block) };

/** Parts first, then calls: the places that decisions name. */
function chatPieces({ role, content, tool_calls, tool_call_id, refusal, audio, function_call }: Fields): Piece[] {
  if (role === "tool") return [{ kind: "result", text: textOf(content), call_id: String(tool_call_id) }];
  const spoken: Piece[] = typeof content === "string" ? [{ kind: "text", text: content }] : listOf(content).map(part);
  const others = [refusal, audio, function_call].filter(Boolean).map(part);
  const calls = listOf(tool_calls).map((call): Piece => {
    const { id, function: called } = call as { id?: string; function?: { name?: string; arguments?: string } };
    return { kind: "call", text: called?.arguments ?? "", call_id: String(id), tool: called?.name ?? "" };
  });
  return [...spoken, ...others, ...calls];
}

function isChat(messages: readonly Fields[]): boolean {
  const roles = ["system", "developer", "user", "assistant", "tool", "function"];
  return (
    messages.every(({ role }) => roles.includes(role as string)) &&
    messages.some(({ role, tool_calls }) => role === "tool" || Array.isArray(tool_calls))
  );
}

function anthropicPiece(block: unknown): Piece {
  const { type, id, name, input, tool_use_id, content, thinking } = block as Fields;
  if (type === "tool_use")
    return { kind: "call", text: JSON.stringify(input), call_id: String(id), tool: String(name) };
  if (type === "tool_result") return { kind: "result", text: textOf(content), call_id: String(tool_use_id) };
  return typeof thinking === "string" ? { kind: "thinking", text: thinking } : part(block);
}

const anthropicPieces = ({ content }: Fields): Piece[] =>
  typeof content === "string" ? [{ kind: "text", text: content }] : listOf(content).map(anthropicPiece);

function isAnthropic(messages: readonly Fields[]): boolean {
  const isTool = (block: unknown) => isObject(block) && (block.type === "tool_use" || block.type === "tool_result");
  return (
    messages.every(({ role, content }) => ["user", "assistant"].includes(role as string) && content !== undefined) &&
    messages.some(({ content }) => listOf(content).some(isTool))
  );
}

export const vendors: readonly Format[] = [
  vendor(
    { id: "openai-chat", label: "OpenAI Chat Completions", module: "keepline/openai-chat" },
    openaiChat as unknown as Adapter,
    isChat,
    chatPieces,
  ),
  vendor(
    { id: "anthropic", label: "Anthropic Messages", module: "keepline/anthropic" },
    anthropic as unknown as Adapter,
    isAnthropic,
    anthropicPieces,
  ),
];
