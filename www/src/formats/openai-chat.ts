/** OpenAI Chat Completions: parts first, then what stands beside them, then the calls. */
import * as adapter from "keepline/openai-chat";
import {
  callPiece,
  contentPieces,
  type Fields,
  fieldsOf,
  listOf,
  nearly,
  plainPiece,
  resultPiece,
  textOf,
} from "./fields.js";
import type { Format, Piece } from "./format.js";
import { type Adapter, vendor } from "./vendor.js";

const ROLES = ["system", "developer", "user", "assistant", "tool", "function"];

function chatCall(value: unknown): Piece {
  const { id, type, function: called, custom } = fieldsOf(value);
  const { name, arguments: input, input: text } = fieldsOf(type === "custom" ? custom : called);
  return callPiece(id, name, type === "custom" ? text : input);
}

function pieces({ role, content, tool_calls, tool_call_id, refusal, audio, function_call }: Fields): Piece[] {
  if (role === "tool") return [resultPiece(tool_call_id, textOf(content))];
  if (role === "function") return [{ kind: "other", text: textOf(content) }];
  const beside = [refusal, audio, function_call].filter(Boolean).map(plainPiece);
  return [...contentPieces(content), ...beside, ...listOf(tool_calls).map(chatCall)];
}

const isMessage = ({ role }: Fields) => ROLES.includes(role as string);

const isCall = ({ role, tool_call_id: id, tool_calls: calls }: Fields) =>
  (role === "tool" && id !== undefined) ||
  listOf(calls).some((call) => "function" in fieldsOf(call) || "custom" in fieldsOf(call));

const chat = (isOurs: (messages: readonly Fields[]) => boolean): Format =>
  vendor(
    {
      id: "openai-chat",
      label: "OpenAI Chat Completions",
      module: "keepline/openai-chat",
      isOurs,
      read: (message) => ({ role: String(message.role), pieces: pieces(message) }),
    },
    adapter as unknown as Adapter,
  );

export const openaiChat = chat((messages) => nearly(messages, isMessage) && messages.some(isCall));

/** Conversations without calls look so in most places. */
export const spoken = chat((messages) =>
  nearly(messages, (message) => isMessage(message) && typeof message.content === "string"),
);
