/** The figures, the strip and the curve with the two thresholds. */
import type { Outcome } from "../worker/protocol.js";
import { Curve } from "./curve.js";
import { usePage } from "./page.js";
import { Strip } from "./strip.js";

export function Summary() {
  const { state, t } = usePage();
  const { outcome, settings } = state;
  const isUntouched = outcome !== undefined && settings.eligible_tool_names.length === 0;
  return (
    <section class="card summary">
      <h2 class="hidden">{t.summary.heading}</h2>
      <div class="figures">
        <p class="freed">
          <output class="share" id="share">
            {outcome ? shareOf(outcome) : "–"}
          </output>
          <span>{isUntouched ? t.summary.tick : t.summary.freed}</span>
        </p>
        <dl class="before-after">
          <div>
            <dt>{t.summary.before}</dt>
            <dd>{outcome ? t.number(outcome.stats.chars_before ?? 0) : "–"}</dd>
          </div>
          <div>
            <dt>{t.summary.after}</dt>
            <dd id="chars-after">{outcome ? t.number(outcome.stats.chars_after ?? 0) : "–"}</dd>
          </div>
        </dl>
        <Counts />
      </div>
      <Curve />
      <Strip />
    </section>
  );
}

function shareOf({ stats: { chars_before, chars_after } }: Outcome): string {
  const share = chars_before && chars_after !== null ? 1 - chars_after / chars_before : 0;
  return `${Math.round(share * 100)} %`;
}

function Counts() {
  const { state, t } = usePage();
  const stats = state.outcome?.stats;
  const counts = [
    ["keep", stats ? stats.actions.keep - stats.protected : undefined, t.summary.kept],
    ["drop_result", stats?.actions.drop_result, t.summary.shortened],
    ["drop_call", stats?.actions.drop_call, t.summary.removed],
    ["protected", stats?.protected, t.summary.protected],
  ] as const;
  return (
    <ul class="counts">
      {counts.map(([kind, count, label]) => (
        <li class={`count ${kind}`} key={kind}>
          <strong>{count === undefined ? "–" : t.number(count)}</strong> {label}
        </li>
      ))}
    </ul>
  );
}
