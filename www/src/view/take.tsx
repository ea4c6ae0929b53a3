/** What the user takes home: the history, the decisions, the code. */
import { useState } from "preact/hooks";
import { RUNTIMES, type Runtime, SNIPPET_FORMATS, snippet } from "../snippet.js";
import { usePage } from "./page.js";
import { TextBox } from "./text.js";

export function Take() {
  const { state, t } = usePage();
  const { session } = state;
  if (!session) return null;
  const base = state.name.replace(/\.(jsonl?|ndjson|txt)$/, "").replace(/[^\p{L}\p{N}.-]+/gu, "-");
  return (
    <div class="take">
      <Piece
        what="result"
        title={t.take.result}
        hint={t.take.resultHint(session.format.label, session.container === "json" ? "JSON" : "JSON Lines")}
        file={`${base}.compacted.${session.container}`}
      />
      <Piece what="decisions" title={t.take.decisions} hint={t.take.decisionsHint} file={`${base}.decisions.json`} />
      <Snippet />
      <Link />
    </div>
  );
}

function Piece({
  what,
  title,
  hint,
  file,
}: {
  what: "result" | "decisions";
  title: string;
  hint: string;
  file: string;
}) {
  const { page, t } = usePage();
  const blob = () => page.do("take", { what });
  return (
    <section class="piece">
      <h3>{title}</h3>
      <p class="quiet">{hint}</p>
      <p class="pair-of-buttons">
        <CopyButton label={title} text={async () => (await blob()).text()} isMain={what === "result"} />
        <button type="button" onClick={async () => download(file, await blob())}>
          {t.take.download}
          <span class="hidden"> {title}</span>
        </button>
      </p>
    </section>
  );
}

function CopyButton({ label, text, isMain = false }: { label: string; text(): Promise<string>; isMain?: boolean }) {
  const { page, t } = usePage();
  const [said, setSaid] = useState("");
  const copy = async () => {
    const done = await text()
      .then((text) => navigator.clipboard.writeText(text))
      .then(
        () => t.take.copied,
        () => t.take.refused,
      );
    setSaid(done);
    page.set({ said: done });
    setTimeout(() => setSaid(""), 2000);
  };
  return (
    <button type="button" class={`copy ${isMain ? "primary" : ""}`} onClick={copy}>
      {said || t.take.copy}
      <span class="hidden"> {label}</span>
    </button>
  );
}

function download(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function Snippet() {
  const { page, state, t } = usePage();
  const [runtime, setRuntime] = useState<Runtime>(RUNTIMES[0]);
  const [other, setOther] = useState<string>();
  const opened = state.session?.format;
  if (!opened) return null;
  const format = SNIPPET_FORMATS.find(({ module }) => module === (other ?? opened.module)) ?? opened;
  const text = snippet(format, runtime, state.settings, page.model());
  return (
    <section class="piece">
      <h3>{t.take.snippet}</h3>
      <p class="quiet">{t.take.snippetHint}</p>
      <div class="pair-of-buttons">
        <label class="inline">
          <span>{t.take.format}</span>
          <select value={format.module} onChange={(event) => setOther(event.currentTarget.value)}>
            {SNIPPET_FORMATS.map(({ label, module }) => (
              <option key={module} value={module}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label class="inline">
          <span>{t.take.runtime}</span>
          <select value={runtime} onChange={(event) => setRuntime(event.currentTarget.value as Runtime)}>
            {RUNTIMES.map((name) => (
              <option key={name} value={name}>
                {t.take.runtimes[name]}
              </option>
            ))}
          </select>
        </label>
        <CopyButton label={t.take.snippet} text={async () => text} />
      </div>
      <TextBox label={t.take.snippet} kind="tall" id="snippet">
        {text}
      </TextBox>
    </section>
  );
}

/** The settings alone, in the address. */
function Link() {
  const { t } = usePage();
  return (
    <section class="piece">
      <h3>{t.take.link}</h3>
      <p class="quiet">{t.take.linkHint}</p>
      <p class="pair-of-buttons">
        <CopyButton label={t.take.link} text={async () => location.href} />
      </p>
    </section>
  );
}
