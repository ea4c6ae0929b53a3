/** Anthropic Messages. */
import * as adapter from "keepline/anthropic";
import { callPiece, fieldsOf, listOf, nearly, plainPiece, resultPiece, textOf } from "./fields.js";
import type { Format, Piece } from "./format.js";
import { type Adapter, vendor } from "./vendor.js";

function piece(block: unknown): Piece {
  const { type, id, name, input, tool_use_id, content, thinking } = fieldsOf(block);
  if (type === "tool_use") return callPiece(id, name, input);
  if (type === "tool_result") return resultPiece(tool_use_id, textOf(content));
  return typeof thinking === "string" ? { kind: "thinking", text: thinking } : plainPiece(block);
}

const isTool = (block: unknown) => ["tool_use", "tool_result"].includes(fieldsOf(block).type as string);

export const anthropic: Format = vendor(
  {
    id: "anthropic",
    label: "Anthropic Messages",
    module: "keepline/anthropic",
    isOurs: (messages) =>
      nearly(
        messages,
        ({ role, content }) => ["user", "assistant", "system"].includes(role as string) && content !== undefined,
      ) && messages.some(({ content }) => listOf(content).some(isTool)),
    // Here an empty string is a block.
    read: ({ role, content }) => ({
      role: String(role),
      pieces: typeof content === "string" ? [{ kind: "text", text: content }] : listOf(content).map(piece),
    }),
  },
  adapter as unknown as Adapter,
);
