/** Contents of Google's Gemini. Calls without an id are named by their function. */
import * as adapter from "keepline/gemini";
import { callPiece, fieldsOf, isObject, listOf, nearly, plainPiece, resultPiece, shownText } from "./fields.js";
import type { Format, Piece } from "./format.js";
import { type Adapter, vendor } from "./vendor.js";

const ROLES = ["user", "model", "function", undefined];
const TEXT_KEYS = ["output", "result", "content"];

/** The text of a response: of its only key, or of all of it. */
function responseText(response: unknown, name: unknown): string {
  const entries = Object.entries(fieldsOf(response)).filter(([key, value]) => !(key === "name" && value === name));
  const [[key, value] = ["", undefined]] = entries;
  const isText = entries.length === 1 && TEXT_KEYS.includes(key) && typeof value === "string";
  return isText ? (value as string) : shownText(response);
}

function piece(part: unknown): Piece {
  const { functionCall: call, functionResponse: response, thought, text } = fieldsOf(part);
  if (isObject(call)) return callPiece(call.id ?? call.name, call.name, call.args ?? {});
  if (isObject(response))
    return resultPiece(response.id ?? response.name, responseText(response.response, response.name));
  return thought === true ? { kind: "thinking", text: shownText(text) } : plainPiece(part);
}

export const gemini: Format = vendor(
  {
    id: "gemini",
    label: "Google Gemini",
    module: "keepline/gemini",
    isOurs: (contents) =>
      nearly(
        contents,
        ({ role, parts }) =>
          ROLES.includes(role as string) &&
          Array.isArray(parts) &&
          parts.every((part) => isObject(part) && !("type" in part)),
      ),
    read: ({ role, parts }) => ({ role: role === "model" ? "assistant" : "user", pieces: listOf(parts).map(piece) }),
  },
  adapter as unknown as Adapter,
);
