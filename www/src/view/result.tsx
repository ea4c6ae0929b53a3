/** What came out: figures, and four views of it. */
import type { Tab } from "../state.js";
import { Late } from "./late.js";
import { usePage } from "./page.js";
import { Summary } from "./summary.js";
import { Timeline } from "./timeline.js";

const TABS: readonly Tab[] = ["timeline", "compare", "requests", "take"];
const LATE = { compare: "Compare", requests: "Requests", take: "Take" } as const;

export function Result() {
  const { state, t } = usePage();
  const { tab } = state;
  const view = tab === "timeline" ? <Timeline /> : <Late key={tab} view={LATE[tab]} />;
  return (
    <div class="result" id="result" tabIndex={-1}>
      <Summary />
      <section class="card views" aria-label={t.tabs.label}>
        <TabList />
        <div role="tabpanel" id="view" aria-labelledby={`tab-${state.tab}`} class="view">
          {state.session && state.outcome ? view : <p class="quiet">…</p>}
        </div>
      </section>
    </div>
  );
}

function TabList() {
  const { page, state, t } = usePage();
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = TABS[(TABS.indexOf(state.tab) + step + TABS.length) % TABS.length] as Tab;
    page.set({ tab: next });
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div role="tablist" aria-label={t.tabs.label} class="tabs" onKeyDown={onKeyDown}>
      {TABS.map((tab) => (
        <button
          type="button"
          role="tab"
          id={`tab-${tab}`}
          key={tab}
          aria-selected={state.tab === tab}
          aria-controls="view"
          tabIndex={state.tab === tab ? 0 : -1}
          onClick={() => page.set({ tab })}
        >
          {t.tabs[tab]}
        </button>
      ))}
    </div>
  );
}
