/** Sets messages beside what became of them. */
import type { CompactionResult, Decision } from "keepline";
import type { Format, Piece } from "../formats/format.js";
import type { Change, ChangedMessage } from "./protocol.js";

/** Compares the messages of one result with those that it was made of. */
export class Comparison {
  /** Place in the result → the messages that are in it now; several where an adapter made one of them. */
  private readonly origins = new Map<number, number[]>();
  private readonly pairs = new Map<string, string>();

  constructor(
    private readonly format: Format,
    private readonly messages: readonly unknown[],
    private readonly result: CompactionResult<unknown>,
  ) {
    result.message_map.forEach((mapped, index) => {
      if (mapped === null) return;
      const others = this.origins.get(mapped);
      if (others) others.push(index);
      else this.origins.set(mapped, [index]);
    });
    for (const { id, call_at, result_at } of result.decisions as Decision[]) {
      this.pairs.set(call_at.join(), id);
      this.pairs.set(result_at.join(), id);
    }
  }

  /** The pieces of a message with what became of each. What is left is in the same order. */
  message(index: number): ChangedMessage {
    const mapped = this.result.message_map[index];
    const origins = (typeof mapped === "number" && this.origins.get(mapped)) || [index];
    const left = typeof mapped === "number" ? this.format.read(this.result.messages[mapped]).pieces : [];
    let next = 0;
    let changes: Change[] = [];
    for (const origin of origins) {
      const { pieces } = this.format.read(this.messages[origin]);
      const compared = pieces.map((piece, block): Change => {
        const pair = this.pairs.get(`${origin},${block}`);
        const named = { ...piece, ...(pair !== undefined && { pair }) };
        const kept = left[next];
        if (!kept || !isSame(piece, kept)) return { ...named, state: "removed" };
        next++;
        return kept.text === piece.text
          ? { ...named, state: "same" }
          : { ...named, state: "shortened", after: kept.text };
      });
      if (origin === index) changes = compared;
    }
    return { index, role: this.format.read(this.messages[index]).role, pieces: changes };
  }
}

function isSame(piece: Piece, kept: Piece): boolean {
  if (piece.kind !== kept.kind || piece.call_id !== kept.call_id) return false;
  return piece.kind === "result" || piece.text === kept.text;
}
