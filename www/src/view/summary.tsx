/** The figures, the strip and the curve with the two thresholds. */
import type { Page, State, Tab } from "../state.js";
import type { Texts } from "../texts/texts.js";
import type { Outcome } from "../worker/protocol.js";
import { Curve } from "./curve.js";
import { Facts } from "./facts.js";
import { Late } from "./late.js";
import { usePage } from "./page.js";
import { Strip } from "./strip.js";

export function Summary() {
  const { page, state, t } = usePage();
  const { outcome, settings, session } = state;
  const isOpen = session !== undefined && session.calls.length > 0;
  const isWaiting = isOpen && (settings.goal.trim() === "" || settings.eligible_tool_names.length === 0);
  return (
    <section class="card summary">
      <h2 class="hidden">{t.summary.heading}</h2>
      <div class="figures">
        <p class="freed">
          <output class="share" id="share">
            {outcome ? shareOf(outcome) : "–"}
          </output>
          <span>{outcome && !isWaiting ? whatGoes(outcome, isOpen, t) : t.summary.freed}</span>
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
        {isWaiting ? <Late view="Steps" /> : <Counts />}
        {!isWaiting && (
          <button type="button" class="primary" disabled={!outcome} onClick={() => show(page, { tab: "take" })}>
            {t.summary.take}
          </button>
        )}
      </div>
      <Curve />
      <Strip />
      <Facts />
    </section>
  );
}

/** What the share means, and where it is nothing, why. */
function whatGoes({ stats }: Outcome, hasCalls: boolean, t: Texts): string {
  if (!hasCalls) return t.summary.noCalls;
  if (stats.chars_after !== stats.chars_before) return t.summary.freed;
  return stats.candidates === 0 ? t.summary.allProtected : t.summary.allKept;
}

function shareOf({ stats: { chars_before, chars_after } }: Outcome): string {
  const share = chars_before && chars_after !== null ? 1 - chars_after / chars_before : 0;
  return `${Math.round(share * 100)} %`;
}

/** Shows a view and leads to it, since in a narrow window it is far below. */
function show(page: Page, change: Partial<State> & { tab: Tab }): void {
  page.set(change);
  const tab = document.getElementById(`tab-${change.tab}`);
  const { top = 0 } = tab?.getBoundingClientRect() ?? {};
  if (top > innerHeight / 2) tab?.scrollIntoView({ block: "start" });
}

/** How many calls of each kind; a click shows them alone. */
function Counts() {
  const { page, state, t } = usePage();
  const stats = state.outcome?.stats;
  const loose = state.session?.calls.filter(({ verdict }) => verdict === undefined).length ?? 0;
  const counts = [
    ["keep", stats ? stats.actions.keep - stats.protected : undefined, t.summary.kept],
    ["drop_result", stats?.actions.drop_result, t.summary.shortened],
    ["drop_call", stats?.actions.drop_call, t.summary.removed],
    ["protected", stats && stats.protected + loose, t.summary.protected],
  ] as const;
  return (
    <ul class="counts">
      {counts.map(([kind, count, label]) => (
        <li key={kind}>
          <button
            type="button"
            class={`count ${kind}`}
            aria-pressed={state.filter === kind}
            onClick={() => show(page, { filter: state.filter === kind ? undefined : kind, tab: "timeline" })}
          >
            <strong>{count === undefined ? "–" : t.number(count)}</strong> {label}
          </button>
        </li>
      ))}
    </ul>
  );
}
