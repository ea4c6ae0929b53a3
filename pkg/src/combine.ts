import { CompactionError, reading } from "./errors.js";
import type { AnyDecisionModel, CombinedDecisionModel, Decision, GivenDecision, Stats } from "./types.js";

/** Probabilities of which the local model is not sure. */
type Band = CombinedDecisionModel["band"];

/** Whether a decision model is two in one. */
export function isCombined(model: AnyDecisionModel): model is CombinedDecisionModel {
  return reading(
    "decisionModel",
    () => typeof model === "object" && model !== null && (model as { kind?: unknown }).kind === "combined",
  );
}

/** What the passes of a combination have to give. */
interface Decided {
  decisions: Decision[];
  stats: Stats;
}

/** The passes over one history. */
export interface Passes<R extends Decided> {
  /** The local model, whose answers are looked at. */
  locally(): Promise<R>;
  /** The local model, whose result is the result. */
  alone(): Promise<R>;
  /** The other model, but not about these calls. */
  remotely(certain: string[]): Promise<R>;
  /** Known probabilities. */
  apply(decisions: GivenDecision[]): R | Promise<R>;
}

/** Failures that the local model can make up for; the others are the host's own. */
const PROVIDER_FAILURES: readonly string[] = ["decision_failed", "invalid_answer", "timeout", "budget_exceeded"];

/** Decides with two models. */
export async function combine<R extends Decided>(
  { remoteFor, band }: CombinedDecisionModel,
  passes: Passes<R>,
): Promise<R> {
  return remoteFor === "all" ? withFallback(passes) : localFirst(passes, band);
}

async function withFallback<R extends Decided>({ alone, remotely }: Passes<R>): Promise<R> {
  try {
    return await remotely([]);
  } catch (error) {
    if (!CompactionError.isInstance(error) || !PROVIDER_FAILURES.includes(error.code)) throw error;
    const result = await alone();
    result.stats.fallback = { code: error.code, message: error.message };
    return result;
  }
}

/** The candidates of a pass of the local model: those that it decides alone, and those that the other one is asked about. */
export function sorted(decisions: readonly Decision[], [low, high]: Band): Record<"certain" | "open", Decision[]> {
  const within = (probability: number | undefined) =>
    probability !== undefined && probability > low && probability < high;
  const isOpen = ({ keep_call, keep_result }: Decision) => within(keep_result) || within(keep_call);
  const candidates = decisions.filter(({ keep_call }) => keep_call !== undefined);
  return { certain: candidates.filter((one) => !isOpen(one)), open: candidates.filter(isOpen) };
}

async function localFirst<R extends Decided>({ locally, alone, remotely, apply }: Passes<R>, band: Band): Promise<R> {
  const { certain, open } = sorted((await locally()).decisions, band);
  if (open.length === 0) {
    const result = await alone();
    result.stats.decided_locally = certain.length;
    return result;
  }
  const asked = await remotely(certain.map(({ call_id }) => call_id));
  const given = asked.decisions.filter(({ keep_call }) => keep_call !== undefined);
  const result = await apply([...certain, ...given]);
  const { windows, state_tokens, state_stage, requests, retries, usage } = asked.stats;
  Object.assign(result.stats, { windows, state_tokens, state_stage, requests, retries, usage });
  result.stats.decided_locally = certain.length;
  return result;
}
