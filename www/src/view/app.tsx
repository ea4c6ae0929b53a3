/** The whole page: header, what goes in, what comes out. */
import { useEffect, useState } from "preact/hooks";
import type { Page, Theme } from "../state.js";
import type { Language } from "../texts/texts.js";
import { Archive } from "./archive.js";
import { Decider } from "./decider.js";
import { Job } from "./job.js";
import { Late } from "./late.js";
import { PageContext, usePage } from "./page.js";
import { Result } from "./result.js";
import { Setup } from "./setup.js";
import { Source } from "./source.js";

export function App({ page }: { page: Page }) {
  const [, redraw] = useState(0);
  useEffect(() => page.subscribe(() => redraw((count) => count + 1)), [page]);
  useEffect(() => dropTarget(page), [page]);
  useEffect(() => pasteTarget(page), [page]);
  useEffect(() => {
    const follow = () => page.followAddress();
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, [page]);
  useEffect(() => {
    document.title = page.texts.title;
  }, [page.state.language]);
  return (
    <PageContext.Provider value={page}>
      <button type="button" class="skip" onClick={toResult}>
        {page.texts.skip}
      </button>
      <Header />
      <main class={`layout ${page.state.session && !page.state.sample ? "own-data" : ""}`}>
        <div class="side">
          <Source />
          <Setup />
          <Decider />
          <Archive />
        </div>
        <Result />
      </main>
      <Job />
      {page.state.open !== undefined && <Late view="PairDialog" />}
      {page.state.ask && <Late view="AskDialog" />}
      <p class="hidden" role="status">
        {page.state.said}
      </p>
    </PageContext.Provider>
  );
}

/** A button and not a link, which would change the address, where the settings are. */
function toResult(): void {
  document.getElementById("result")?.focus();
}

function Header() {
  const { page, state, t } = usePage();
  return (
    <header class="top">
      <h1 class="brand">
        <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
          <path class="mark-bars" d="M6 24V6M13 24V11M20 24v-6M27 24v-3" />
          <path class="mark-line" d="M2 15.5h28" />
        </svg>
        keepline
      </h1>
      <p class="lead">
        {t.lead} <span class="quiet">{t.privacy}</span>
      </p>
      <div class="prefs">
        <button type="button" class="primary own" onClick={() => document.getElementById("file")?.click()}>
          {t.source.openOwn}
        </button>
        <label>
          <span class="hidden">{t.language}</span>
          <select value={state.language} onChange={(event) => page.setLanguage(event.currentTarget.value as Language)}>
            <option value="en">English</option>
            <option value="zh">中文</option>
          </select>
        </label>
        <label>
          <span class="hidden">{t.theme.label}</span>
          <select value={state.theme} onChange={(event) => page.setTheme(event.currentTarget.value as Theme)}>
            {(["auto", "light", "dark"] as const).map((theme) => (
              <option value={theme}>{t.theme[theme]}</option>
            ))}
          </select>
        </label>
      </div>
    </header>
  );
}

/** Takes files that are dropped anywhere. */
function dropTarget(page: Page): () => void {
  const over = (event: DragEvent) => {
    event.preventDefault();
    document.documentElement.classList.add("dropping");
  };
  const leave = () => document.documentElement.classList.remove("dropping");
  const drop = (event: DragEvent) => {
    event.preventDefault();
    leave();
    const file = event.dataTransfer?.files[0];
    if (file) void page.openOwn(file.name, file);
  };
  addEventListener("dragover", over);
  addEventListener("dragleave", leave);
  addEventListener("drop", drop);
  return () => {
    removeEventListener("dragover", over);
    removeEventListener("dragleave", leave);
    removeEventListener("drop", drop);
  };
}

/** Takes what is pasted beside a field. */
function pasteTarget(page: Page): () => void {
  const paste = (event: ClipboardEvent) => {
    if (event.target instanceof Element && event.target.closest("input, textarea")) return;
    const file = event.clipboardData?.files[0];
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (file) void page.openOwn(file.name, file);
    else if (text.trim() !== "") void page.openOwn(page.texts.source.pastedName, new Blob([text]));
  };
  addEventListener("paste", paste);
  return () => removeEventListener("paste", paste);
}
