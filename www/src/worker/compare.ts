/** Sets a message beside what became of it. */
import type { CompactionResult } from "keepline";
import type { Format, Piece } from "../formats/format.js";
import type { Change, ChangedMessage } from "./protocol.js";

/** Text of one piece in the comparison. */
const LONGEST = 20_000;

/** Whether a message of the input is another one in the result. Untouched messages are the same objects. */
export function isChanged(
  message: unknown,
  index: number,
  { message_map, messages }: CompactionResult<unknown>,
): boolean {
  const mapped = message_map[index];
  return mapped === null || mapped === undefined || messages[mapped] !== message;
}

/** The pieces of a message with what became of each. What is left of a message is in the same order. */
export function compareMessage(
  format: Format,
  message: unknown,
  index: number,
  result: CompactionResult<unknown>,
): ChangedMessage {
  const { role, pieces } = format.read(message);
  const mapped = result.message_map[index];
  const left = mapped === null || mapped === undefined ? [] : format.read(result.messages[mapped]).pieces;
  let next = 0;
  const changes = pieces.map((piece): Change => {
    const kept = left[next];
    if (!kept || !isSame(piece, kept)) return { ...cut(piece), state: "removed" };
    next++;
    if (kept.text === piece.text) return { ...cut(piece), state: "same" };
    return { ...cut(piece), state: "shortened", after: kept.text.slice(0, LONGEST) };
  });
  return { index, role, pieces: changes };
}

function isSame(piece: Piece, kept: Piece): boolean {
  if (piece.kind !== kept.kind || piece.call_id !== kept.call_id) return false;
  return piece.kind === "result" || piece.text === kept.text;
}

function cut(piece: Piece): Piece {
  return piece.text.length > LONGEST ? { ...piece, text: `${piece.text.slice(0, LONGEST)}…` } : piece;
}
