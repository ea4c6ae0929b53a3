/** What became of a call, for every view the same. */
import type { Texts } from "./texts/texts.js";
import type { CallHead, Loose, Outcome, Verdict } from "./worker/protocol.js";

/** What a colour stands for. */
export type Kind = "keep" | "protected" | "drop_result" | "drop_call";

/** A verdict, or what stands for it where keepline leaves a call alone. */
export type ShownVerdict = Pick<Verdict, "action" | "applied" | "saved_chars" | "keep_call" | "keep_result"> & {
  reason: Verdict["reason"] | Loose | "no_goal" | `in_${"own" | "first" | "recent" | "system"}`;
  /** In the model's own words, where it has some for this action. */
  why?: string | undefined;
};

/** The verdict of a call. */
export function verdictOf({ verdict, loose = "no_pair" }: CallHead, { verdicts }: Outcome): ShownVerdict {
  const found = verdict === undefined ? undefined : verdicts[verdict];
  return found ?? { action: "keep", applied: false, saved_chars: 0, reason: loose };
}

/** The kind of a verdict: protected calls are kept for another reason. */
export function kindOf({ action, applied, keep_call, reason }: ShownVerdict): Kind {
  if (action !== "keep" && applied) return action;
  const wasCandidate = keep_call !== undefined || reason === "not_asked" || reason === "already_shortened";
  return wasCandidate ? "keep" : "protected";
}

/** What became of a call, in a word. */
export function outcomeOf(verdict: ShownVerdict, t: Texts): string {
  const kind = kindOf(verdict);
  return kind === "protected" ? t.protectedAction : t.actions[kind];
}

/** Why, in words. */
export function reasonOf({ reason, action, applied, why }: ShownVerdict, t: Texts): string {
  const said = why ?? t.reasons[reason];
  return action !== "keep" && !applied ? `${t.noGain}; ${said}` : said;
}
