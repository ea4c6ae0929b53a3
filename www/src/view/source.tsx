/** Where the history comes from: samples, a file, the clipboard. */
import { useState } from "preact/hooks";
import { samples } from "../samples.js";
import { Late } from "./late.js";
import { usePage } from "./page.js";

export function Source() {
  const { page, state, t } = usePage();
  const { session, name, sample } = state;
  const shownName = sample ? (t.source.samples[sample] ?? name) : name;
  const onFile = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    const file = currentTarget.files?.[0];
    if (file) void page.openOwn(file.name, file);
    currentTarget.value = "";
  };
  return (
    <section class="card source">
      <h2>{t.source.heading}</h2>
      <p class="now">
        {session ? t.source.open(shownName, session.format.label, session.messages.length, session.calls.length) : "…"}
      </p>
      <fieldset class="choices">
        <legend>{t.source.sample}</legend>
        {Object.keys(samples).map((key) => (
          <button type="button" class="choice" aria-pressed={sample === key} onClick={() => page.openSample(key)}>
            {t.source.samples[key] ?? key}
          </button>
        ))}
      </fieldset>
      <p class="label">{t.source.own}</p>
      <label class="file">
        <input id="file" type="file" accept=".json,.jsonl,.ndjson,.txt,application/json" onChange={onFile} />
        <span class="button">{t.source.file}</span>
        <span class="quiet">{t.source.drop}</span>
      </label>
      <Paste />
      <p class="quiet">{t.source.formats}</p>
    </section>
  );
}

/** A field for text; pasting anywhere beside a field does the same. */
function Paste() {
  const { t } = usePage();
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t.source.paste}</summary>
      {isOpen && <Late view="PasteField" />}
    </details>
  );
}
