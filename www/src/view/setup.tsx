/** Goal, tools and the finer settings. */
import { useState } from "preact/hooks";
import { Late } from "./late.js";
import { usePage } from "./page.js";

export function Setup() {
  const [isOpen, setOpen] = useState(false);
  const { page, state, t } = usePage();
  const { settings, session } = state;
  const isMissing = session !== undefined && session.calls.length > 0 && settings.goal.trim() === "";
  return (
    <section class="card setup">
      <h2>{t.setup.heading}</h2>
      <label class="field">
        <span>{t.setup.goal}</span>
        <textarea
          id="goal"
          rows={5}
          placeholder={t.setup.goalHint}
          aria-required="true"
          aria-describedby={isMissing ? "goal-missing" : undefined}
          value={settings.goal}
          onInput={(event) => page.change({ goal: event.currentTarget.value })}
        />
      </label>
      {isMissing && (
        <p class="todo" id="goal-missing">
          {t.setup.goalMissing}
        </p>
      )}
      {isMissing && session.asked !== "" && (
        <button type="button" class="small" onClick={() => page.change({ goal: session.asked })}>
          {t.setup.useLast}
        </button>
      )}
      <Tools />
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{t.setup.more}</summary>
        {isOpen && <Late view="MoreSettings" />}
      </details>
    </section>
  );
}

function Tools() {
  const { page, state, t } = usePage();
  const { session } = state;
  const tools = session?.tools ?? [];
  const { eligible_tool_names } = state.settings;
  const all = tools.map(({ name }) => name);
  return (
    <fieldset class="tools" id="tools">
      <legend>{t.setup.tools}</legend>
      <p class="quiet">{t.setup.toolsHint}</p>
      <p class="pair-of-buttons">
        <button type="button" class="small" onClick={() => page.change({ eligible_tool_names: all })}>
          {t.setup.all}
        </button>
        <button type="button" class="small" onClick={() => page.change({ eligible_tool_names: [] })}>
          {t.setup.none}
        </button>
      </p>
      <ul class={`tool-list ${session ? "" : "empty"}`}>
        {tools.map(({ name, calls, chars }) => (
          <li key={name}>
            <label class="check">
              <input
                type="checkbox"
                checked={eligible_tool_names.includes(name)}
                onChange={(event) => page.toggleTool(name, event.currentTarget.checked)}
              />
              <span class="tool-name">{name}</span>
              <span class="quiet tool-size">
                {t.number(calls)} × · {t.characters(chars)}
              </span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
