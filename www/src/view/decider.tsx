/** Who answers the questions, and the button that asks. */
import type { LocalPoint } from "keepline";
import { Late } from "./late.js";
import { usePage } from "./page.js";

const KINDS = ["local", "ask", "endpoint", "scripted"] as const;
const POINTS: readonly LocalPoint[] = ["careful", "balanced", "firm"];

export function Decider() {
  const { page, state, t } = usePage();
  const { kind, isStale, session } = state;
  return (
    <section class="card decider">
      <h2>{t.model.heading}</h2>
      <fieldset class="kinds">
        <legend class="hidden">{t.model.heading}</legend>
        {KINDS.map((choice) => (
          <label class="check" key={choice}>
            <input type="radio" name="model" checked={kind === choice} onChange={() => page.choose(choice)} />
            <span>{t.model[choice]}</span>
          </label>
        ))}
      </fieldset>
      {kind === "local" ? (
        <>
          <p class="quiet">{t.model.localHint}</p>
          <Points />
        </>
      ) : (
        <Late view="ModelFields" />
      )}
      {kind !== "local" && (
        <>
          <button type="button" class="primary" disabled={!session || !isReady(state)} onClick={() => page.run()}>
            {isStale ? t.model.run : t.model.again}
          </button>
          {isStale && <p class="quiet">{t.model.stale}</p>}
        </>
      )}
    </section>
  );
}

function isReady({ kind, endpoint, settings }: ReturnType<typeof usePage>["state"]): boolean {
  return settings.goal.trim() !== "" && (kind !== "endpoint" || URL.canParse(endpoint.url));
}

function Points() {
  const { page, state, t } = usePage();
  return (
    <fieldset class="choices">
      <legend>{t.model.point}</legend>
      {POINTS.map((point) => (
        <button
          type="button"
          class="choice"
          key={point}
          aria-pressed={state.point === point}
          onClick={() => page.setPoint(point)}
        >
          {t.model.points[point]}
        </button>
      ))}
    </fieldset>
  );
}
