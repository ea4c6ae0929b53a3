/** The finer settings. */
import { option, type ShownOption } from "../options.js";
import { usePage } from "./page.js";

export function MoreSettings() {
  const { page, state, t } = usePage();
  const { settings } = state;
  return (
    <div class="more">
      <label class="field">
        <span>{t.more.next}</span>
        <textarea
          rows={2}
          placeholder={t.more.nextHint}
          value={settings.next_action ?? ""}
          onInput={(event) => page.change({ next_action: event.currentTarget.value })}
        />
      </label>
      <NumberField name="preserve_recent_messages" label={t.more.recent} />
      <NumberField name="truncate_head_chars" label={t.more.head} />
      <NumberField name="truncate_tail_chars" label={t.more.tail} />
      <label class="check">
        <input
          type="checkbox"
          checked={settings.options.drop_call_mode === "stub"}
          onChange={({ currentTarget: { checked } }) =>
            page.changeOption("drop_call_mode", checked ? "stub" : "remove", "decide")
          }
        />
        <span>{t.more.stub}</span>
      </label>
    </div>
  );
}

function NumberField({ name, label }: { name: ShownOption; label: string }) {
  const { page, state } = usePage();
  const change = ({ currentTarget: { valueAsNumber } }: { currentTarget: HTMLInputElement }) => {
    // Where outputs are cut is no question for a model.
    const needs = name.startsWith("truncate") ? "decide" : "run";
    if (Number.isInteger(valueAsNumber) && valueAsNumber >= 0) page.changeOption(name, valueAsNumber, needs);
  };
  return (
    <label class="field row">
      <span>{label}</span>
      <input type="number" min={0} step={1} value={option(state.settings, name)} onChange={change} />
    </label>
  );
}
