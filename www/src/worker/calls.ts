/** The calls of a history as rows: those that keepline pairs, and those that it leaves alone. */
import type { Decision } from "keepline";
import type { Piece } from "../formats/format.js";
import { inputPreview } from "./count.js";
import type { CallHead, Loose, ToolHead } from "./protocol.js";

/** Message and block. */
export type Place = readonly [message: number, block: number];

/** A piece and where it is. */
export interface Placed {
  at: Place;
  piece: Piece;
  chars: number;
}

/** Where the texts of a call are. */
export interface CallPlaces {
  call: Place;
  result?: Place | undefined;
}

/** The calls of a history in order, where their texts are, and the characters of results that belong to no call. */
export class Calls {
  readonly heads: CallHead[] = [];
  readonly places = new Map<string, CallPlaces>();
  /** By message. */
  readonly orphans = new Map<number, number>();

  constructor(parts: readonly Placed[], decisions: readonly Decision[]) {
    const sizes = new Map(parts.map(({ at, chars }) => [at.join(), chars]));
    const decided = new Map(decisions.map((decision, verdict) => [decision.call_at.join(), { decision, verdict }]));
    const paired = new Set(decisions.map(({ result_at }) => result_at.join()));
    const free = new Map<string | undefined, Placed[]>();
    const counts = new Map<string | undefined, number>();
    for (const part of parts) {
      const { kind, call_id } = part.piece;
      if (kind === "call") counts.set(call_id, (counts.get(call_id) ?? 0) + 1);
      else if (!paired.has(part.at.join())) free.set(call_id, [...(free.get(call_id) ?? []), part]);
    }
    for (const { at, piece, chars } of parts) {
      if (piece.kind !== "call") continue;
      const known = decided.get(at.join());
      const own = known ? undefined : free.get(piece.call_id)?.shift();
      const result = known?.decision.result_at ?? own?.at;
      const id = known?.decision.id ?? `u${at.join("-")}`;
      this.places.set(id, { call: at, result });
      this.heads.push({
        id,
        call_id: known?.decision.call_id ?? piece.call_id ?? "",
        tool: known?.decision.tool ?? piece.tool ?? "",
        preview: inputPreview(piece.text),
        input_chars: chars,
        output_chars: result ? (sizes.get(result.join()) ?? 0) : 0,
        message: at[0],
        ...(result && { answered: result[0] }),
        ...(known ? { verdict: known.verdict } : { loose: looseness(own, counts.get(piece.call_id)) }),
      });
    }
    for (const { at, chars } of [...free.values()].flat())
      this.orphans.set(at[0], (this.orphans.get(at[0]) ?? 0) + chars);
  }

  /** The tools, those with most characters first. */
  tools(): ToolHead[] {
    const tools = new Map<string, ToolHead>();
    for (const { tool, input_chars, output_chars } of this.heads) {
      const head = tools.get(tool) ?? { name: tool, calls: 0, chars: 0 };
      head.calls++;
      head.chars += input_chars + output_chars;
      tools.set(tool, head);
    }
    return [...tools.values()].sort((one, other) => other.chars - one.chars);
  }
}

/** Why a call has no pair. */
function looseness(result: Placed | undefined, count = 0): Loose {
  if (!result) return "no_result";
  return count > 1 ? "duplicate_id" : "no_pair";
}
