/** The two answers that a history of one's own waits for. */
import { usePage } from "./page.js";

/** What is left to say before anything can go; each leads to its field. */
export function Steps() {
  const { state, t } = usePage();
  const { goal, eligible_tool_names } = state.settings;
  const go = (selector: string) => {
    const field = document.querySelector<HTMLElement>(selector);
    field?.focus({ preventScroll: true });
    field?.scrollIntoView({ block: "center" });
  };
  const steps = [
    [goal.trim() !== "", t.steps.goal, "#goal"],
    [eligible_tool_names.length > 0, t.steps.tools, "#tools input"],
  ] as const;
  return (
    <div class="steps">
      <p class="label">{t.steps.title}</p>
      <ol>
        {steps.map(([isDone, label, field]) => (
          <li key={field}>
            <button type="button" class={`small step ${isDone ? "done" : ""}`} onClick={() => go(field)}>
              {label}
              {isDone && <span class="hidden"> {t.steps.done}</span>}
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}
