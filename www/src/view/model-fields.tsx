/** What models other than the local one have to be told. */
import type { Endpoint } from "../state.js";
import { usePage } from "./page.js";

/** Addresses that speak the wire, and a model of each, as `systemOneModel` knows them. */
const KNOWN = [
  { name: "Ollama", url: "http://localhost:11434/v1/systemone", model: "clef-flash:9b" },
  { name: "TypeSafe", url: "https://api.typesafe.ai/v1/systemone", model: "jev-latest" },
  { name: "OpenRouter", url: "https://openrouter.ai/api/alpha/decisions", model: "~typesafe/jev-latest" },
] as const;

export function ModelFields() {
  const { state, t } = usePage();
  const { kind } = state;
  return (
    <>
      {kind !== "local" && <p class="quiet">{t.models[`${kind}Hint`]}</p>}
      {kind === "endpoint" && <EndpointFields />}
      {kind === "scripted" && <Script />}
    </>
  );
}

function EndpointFields() {
  const { page, state, t } = usePage();
  const { endpoint } = state;
  const known = KNOWN.find(({ url }) => url === endpoint.url) ?? KNOWN[0];
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
        <span>{t.models.url}</span>
        <input type="url" list="endpoints" placeholder={KNOWN[0].url} {...common("url")} />
        <datalist id="endpoints">
          {KNOWN.map(({ name, url }) => (
            <option key={url} value={url}>
              {name}
            </option>
          ))}
        </datalist>
      </label>
      <label class="field">
        <span>{t.models.name}</span>
        <input type="text" placeholder={known.model} {...common("model")} />
      </label>
      <label class="field">
        <span>{t.models.key}</span>
        {/* Masked by style: what is a password to a browser, it offers to keep. */}
        <input type="text" class="secret" {...common("key")} />
      </label>
      {number("maxQuestions", t.models.limit, 2)}
      {number("timeoutSeconds", t.models.timeout, 1)}
    </>
  );
}

function Script() {
  const { page, state, t } = usePage();
  return (
    <label class="field">
      <span>{t.models.script}</span>
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
