/** Why one can trust the result: what did not move, where the original is, and how to undo. */
import { usePage } from "./page.js";

export function Facts() {
  const { state, t } = usePage();
  const { session, outcome, sample, archived, isArchiveRefused } = state;
  const isKept = sample !== undefined || archived !== undefined;
  const original = sample || !session ? t.facts.sample : t.facts.archived;
  const lost = isArchiveRefused ? t.facts.refused : t.facts.deleted;
  return (
    <ul class="facts">
      <li>{session && outcome ? t.facts.unchanged(outcome.unchanged, session.messages.length) : "…"}</li>
      <li class={session && !isKept ? "not" : ""}>{isKept || !session ? original : lost}</li>
      <li>{t.facts.undo}</li>
    </ul>
  );
}
