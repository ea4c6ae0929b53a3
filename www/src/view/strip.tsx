/** Where the characters are, in the order of the conversation: before, and what is left of it. */

import { type Kind as CallKind, kindOf, verdictOf } from "../verdict.js";
import type { CallHead, Outcome, SessionHead } from "../worker/protocol.js";
import { usePage } from "./page.js";

type Kind = CallKind | "text";
type Segment = [kind: Kind, chars: number];

const KINDS: readonly Kind[] = ["text", "keep", "protected", "drop_result", "drop_call"];
const WIDTH = 1000;

export function Strip() {
  const { state, t } = usePage();
  const { session, outcome } = state;
  const segments = session && outcome ? segmentsOf(session, outcome) : [];
  const total = segments.reduce((sum, [, chars]) => sum + chars, 0);
  const left = segments.filter(([kind]) => !kind.startsWith("drop"));
  const { chars_before, chars_after } = outcome?.stats ?? {};
  return (
    <div class="strip">
      <p class="label">{t.summary.strip}</p>
      <div class="strip-bars">
        <span class="quiet" aria-hidden="true">
          {t.summary.before}
        </span>
        <span class="quiet" aria-hidden="true">
          {t.summary.after}
        </span>
        <svg
          viewBox={`0 0 ${WIDTH} 40`}
          preserveAspectRatio="none"
          role="img"
          aria-label={t.summary.stripSays(chars_before ?? 0, chars_after ?? 0)}
        >
          <Bar segments={segments} total={total} top={0} />
          <Bar segments={left} total={total} top={22} />
        </svg>
      </div>
      <ul class="legend">
        {KINDS.map((kind) => (
          <li class={kind} key={kind}>
            {t.summary.legend[kind]}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** One path a kind, so that thousands of segments are five elements. */
function Bar({ segments, total, top }: { segments: readonly Segment[]; total: number; top: number }) {
  const paths = new Map<Kind, string>();
  let at = 0;
  for (const [kind, chars] of segments) {
    const width = (chars / Math.max(1, total)) * WIDTH;
    paths.set(kind, `${paths.get(kind) ?? ""}M${at.toFixed(2)} ${top}h${width.toFixed(2)}v18h-${width.toFixed(2)}z`);
    at += width;
  }
  return (
    <>
      {KINDS.map((kind) => (
        <path key={kind} class={`fill ${kind}`} d={paths.get(kind) ?? ""} />
      ))}
    </>
  );
}

function segmentsOf(session: SessionHead, outcome: Outcome): Segment[] {
  const segments: Segment[] = [];
  let at = 0;
  for (const { index, chars } of session.messages) {
    segments.push(["text", chars]);
    for (; session.calls[at]?.message === index; at++) {
      const call = session.calls[at] as CallHead;
      const verdict = verdictOf(call, outcome);
      const kind = kindOf(verdict);
      const saved = kind.startsWith("drop") ? Math.max(0, verdict.saved_chars) : 0;
      segments.push([saved > 0 ? "keep" : kind, call.input_chars + call.output_chars - saved], [kind, saved]);
    }
  }
  return segments.filter(([, chars]) => chars > 0);
}
