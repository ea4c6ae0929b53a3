/** Input items of OpenAI Responses; each is a message of its own. */
import * as adapter from "keepline/openai-responses";
import { callPiece, contentPieces, type Fields, fieldsOf, listOf, nearly, resultPiece, textOf } from "./fields.js";
import type { Format, Piece } from "./format.js";
import { type Adapter, vendor } from "./vendor.js";

const CALLS = ["function_call", "custom_tool_call"];
const OUTPUTS = ["function_call_output", "custom_tool_call_output"];
const TEXTS = ["input_text", "output_text"];

const typeOf = ({ type, role }: Fields) => String(type ?? (role === undefined ? "" : "message"));

function pieces(item: Fields): Piece[] {
  const type = typeOf(item);
  const { content, call_id: id, name, arguments: input, input: text, output, summary } = item;
  if (type === "message") return contentPieces(content);
  if (CALLS.includes(type)) return [callPiece(id, name, input ?? text)];
  if (OUTPUTS.includes(type)) return [resultPiece(id, textOf(output))];
  if (type === "reasoning") return [{ kind: "thinking", text: textOf(summary) }];
  return [{ kind: "other", text: JSON.stringify(item) }];
}

export const openaiResponses: Format = vendor(
  {
    id: "openai-responses",
    label: "OpenAI Responses",
    module: "keepline/openai-responses",
    isOurs: (items) =>
      nearly(items, (item) => typeOf(item) !== "") &&
      items.some((item) => {
        const isPart = (part: unknown) => TEXTS.includes(fieldsOf(part).type as string);
        return [...CALLS, ...OUTPUTS, "reasoning"].includes(typeOf(item)) || listOf(item.content).some(isPart);
      }),
    read(item) {
      const type = typeOf(item);
      const role = type === "message" ? String(item.role) : type.endsWith("_output") ? "tool" : "assistant";
      return { role, pieces: pieces(item) };
    },
    // What the provider holds cannot be made shorter here; the adapter says so.
    switches: ({ previous_response_id: previous, conversation }) =>
      previous || conversation ? { serverState: true } : {},
  },
  adapter as unknown as Adapter,
);
