/** Messages of the AI SDK: what is sent, and what the page of a host holds. */
import * as adapter from "keepline/ai-sdk";
import {
  callPiece,
  contentPieces,
  fieldsOf,
  listOf,
  nearly,
  plainPiece,
  resultPiece,
  shownText,
  textOf,
} from "./fields.js";
import type { Format, Piece } from "./format.js";
import { type Adapter, vendor } from "./vendor.js";

const ROLES = ["system", "user", "assistant", "tool"];
const THINKING = ["reasoning", "reasoning-file"];

function thinkingPiece(part: unknown): Piece {
  const { text } = fieldsOf(part);
  return { kind: "thinking", text: shownText(text ?? part) };
}

function outputText(output: unknown): string {
  const { type, value } = fieldsOf(output);
  return type === "content" ? textOf(value) : shownText(value ?? output);
}

const modelPiece =
  (role: unknown) =>
  (part: unknown): Piece => {
    const { type, toolCallId, toolName, input, output, providerExecuted } = fieldsOf(part);
    if (THINKING.includes(type as string)) return thinkingPiece(part);
    if (type === "tool-call" && providerExecuted !== true) return callPiece(toolCallId, toolName, input);
    if (type === "tool-result" && role === "tool") return resultPiece(toolCallId, outputText(output));
    return plainPiece(part);
  };

export const aiSdkModel: Format = vendor(
  {
    id: "ai-sdk-model",
    label: "AI SDK ModelMessage",
    module: "keepline/ai-sdk",
    isOurs: (messages) =>
      nearly(messages, ({ role, content }) => ROLES.includes(role as string) && content !== undefined) &&
      messages.some(({ content }) =>
        listOf(content).some((part) => ["tool-call", "tool-result"].includes(fieldsOf(part).type as string)),
      ),
    read: ({ role, content }) => ({ role: String(role), pieces: contentPieces(content, modelPiece(role)) }),
  },
  adapter as unknown as Adapter,
);

/** A part is one piece, or call and result. */
function uiPieces(part: unknown): Piece[] {
  const { type, text, toolCallId, toolName, input, output, errorText, state, preliminary, providerExecuted } =
    fieldsOf(part);
  const kind = String(type);
  if (THINKING.includes(kind)) return [thinkingPiece(part)];
  const isTool = kind === "dynamic-tool" || kind.startsWith("tool-");
  if (!isTool || providerExecuted === true)
    return [kind === "text" || text === undefined ? plainPiece(part) : { kind: "other", text: JSON.stringify(part) }];
  const call = callPiece(toolCallId, kind === "dynamic-tool" ? toolName : kind.slice("tool-".length), input);
  const isDone =
    state === "output-available" ? preliminary !== true : state === "output-error" || state === "output-denied";
  return isDone
    ? [call, resultPiece(toolCallId, shownText(state === "output-available" ? output : errorText))]
    : [call];
}

export const aiSdkUi: Format = vendor(
  {
    id: "ai-sdk-ui",
    label: "AI SDK UIMessage",
    module: "keepline/ai-sdk",
    isOurs: (messages) =>
      nearly(
        messages,
        ({ role, parts }) =>
          ROLES.includes(role as string) &&
          Array.isArray(parts) &&
          parts.every((part) => typeof fieldsOf(part).type === "string"),
      ),
    read: ({ role, parts }) => ({ role: String(role), pieces: listOf(parts).flatMap(uiPieces) }),
  },
  adapter as unknown as Adapter,
);
