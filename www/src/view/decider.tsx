/** Who answers the questions, and the button that asks. */
import type { LocalPoint } from "keepline";
import type { Endpoint } from "../state.js";
import { usePage } from "./page.js";

const KINDS = ["local", "ask", "endpoint", "scripted"] as const;
const POINTS: readonly LocalPoint[] = ["careful", "balanced", "firm"];

export function Decider() {
  const { page, state, t } = usePage();
  const { kind, isStale, session } = state;
  return (
    <section class="card">
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
      <p class="quiet">{t.model[`${kind}Hint`]}</p>
      {kind === "local" && <Points />}
      {kind === "endpoint" && <EndpointFields />}
      {kind === "scripted" && <Script />}
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

function EndpointFields() {
  const { page, state, t } = usePage();
  const { endpoint } = state;
  const change = (change: Partial<Endpoint>) => page.set({ endpoint: { ...endpoint, ...change }, isStale: true });
  const common = (name: "url" | "model" | "key") => ({
    autocomplete: "off",
    spellcheck: false,
    value: endpoint[name],
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => change({ [name]: currentTarget.value }),
  });
  const number = (name: "maxQuestions" | "timeoutSeconds", label: string, min: number) => (
    <label class="field row">
      <span>{label}</span>
      <input
        type="number"
        min={min}
        value={endpoint[name]}
        onInput={({ currentTarget: { valueAsNumber } }) => valueAsNumber >= min && change({ [name]: valueAsNumber })}
      />
    </label>
  );
  return (
    <>
      <label class="field">
        <span>{t.model.url}</span>
        <input type="url" placeholder="http://localhost:11434/v1/systemone" {...common("url")} />
      </label>
      <label class="field">
        <span>{t.model.name}</span>
        <input type="text" placeholder="clef-flash:9b" {...common("model")} />
      </label>
      <label class="field">
        <span>{t.model.key}</span>
        <input type="password" {...common("key")} />
      </label>
      {number("maxQuestions", t.model.limit, 2)}
      {number("timeoutSeconds", t.model.timeout, 1)}
    </>
  );
}

function Script() {
  const { page, state, t } = usePage();
  return (
    <label class="field">
      <span>{t.model.script}</span>
      <textarea
        class="code"
        rows={6}
        spellcheck={false}
        value={state.script}
        onInput={(event) => page.set({ script: event.currentTarget.value, isStale: true })}
      />
    </label>
  );
}
