/** Why one can trust the result: what did not move, where the original is, and how to undo. */
import { usePage } from "./page.js";

export function Facts() {
  const { state, t } = usePage();
  const { session, outcome, sample, archived, isArchiveRefused } = state;
  const total = session?.messages.length ?? 0;
  const original = sample ? t.facts.sample : isArchiveRefused ? t.facts.refused : t.facts.archived;
  return (
    <ul class="facts">
      <li>{outcome ? t.facts.unchanged(outcome.unchanged, total) : "…"}</li>
      <li class={isArchiveRefused && !sample ? "not" : ""}>
        {session && (sample || archived || isArchiveRefused) ? original : "…"}
      </li>
      <li>{t.facts.undo}</li>
    </ul>
  );
}
