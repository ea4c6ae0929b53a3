import type { OutcomeArray } from "#glue";
import type { DecidedPair } from "./apply.js";
import type { CompactionResult, Stats } from "./types.js";

/** What the report needs beside the core's own counts. */
export interface Measured {
  /** For each message of the input its index in the result, -1 where it was removed. */
  map: Int32Array;
  messagesAfter: number;
  charsBefore: number | null;
  charsAfter: number | null;
  usage: readonly unknown[];
  retries: number;
  started: number;
}

/** Everything of a result but its messages. */
export function report(
  [report]: OutcomeArray,
  pairs: readonly DecidedPair[],
  { map, ...measured }: Measured,
): Omit<CompactionResult, "messages"> {
  const reason = report.changed ? "compacted" : report.candidates === 0 ? "no_candidates" : "no_change";
  const stats: Stats = {
    messages_before: map.length,
    messages_after: measured.messagesAfter,
    chars_before: measured.charsBefore,
    chars_after: measured.charsAfter,
    windows: report.windows,
    candidates: report.candidates,
    protected: report.protected,
    duplicate_ids: report.duplicate_ids,
    unpaired: report.unpaired,
    state_tokens: report.state_tokens,
    state_stage: report.state_stage,
    requests: report.requests,
    retries: measured.retries,
    usage: measured.usage.filter((usage) => usage !== undefined),
    elapsed_ms: performance.now() - measured.started,
    first_changed_message: report.first_changed_message,
    actions: { keep: report.keep, drop_result: report.drop_result, drop_call: report.drop_call },
    max_saved_chars: report.max_saved_chars,
  };
  return {
    schema_version: 1,
    changed: report.changed,
    reason,
    decisions: pairs.map(({ decision }) => decision),
    message_map: Array.from(map, (index) => (index === -1 ? null : index)),
    stats,
  };
}
