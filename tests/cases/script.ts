/** The scripted decision model of a case, and a journal of what it was asked. */
import type { DecisionContext, DecisionModel, DecisionRequest, DecisionResponse } from "keepline";
import { type Answers, evaluate } from "./case.js";

/** One request that was started. */
export interface Sent {
  request: DecisionRequest;
  context: DecisionContext;
  /** Names of the questions, in order. */
  names: string[];
  /** Milliseconds from the start of the run. */
  started: number;
  failed: boolean;
}

/** What happened while a model was asked. */
export interface Journal {
  sent: Sent[];
  inFlight: number;
  maxInFlight: number;
  /** When a scripted failure happened. */
  failedAt: number | undefined;
  /** Requests started after it. */
  afterFailure: number;
}

export const newJournal = (): Journal => ({
  sent: [],
  inFlight: 0,
  maxInFlight: 0,
  failedAt: undefined,
  afterFailure: 0,
});

const FAILURES = ["throw", "reject", "reject_non_error", "reject_undefined", "hang", "late_answer", "late_rejection"];

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A model that answers as the case says; `callOf` gives the call id of a pair's name. */
export function scriptedModel(
  answers: Answers,
  callOf: (name: string) => string | undefined,
  journal: Journal,
): DecisionModel {
  const { failure } = answers;
  if (failure && !FAILURES.includes(failure.kind)) throw new Error(`unknown failure: ${failure.kind}`);
  if (answers.script !== undefined) throw new Error(`unknown script: ${JSON.stringify(answers.script)}`);
  const model: DecisionModel = async (request, context) => {
    const sent: Sent = {
      request,
      context,
      names: Object.keys(request.questions),
      started: performance.now(),
      failed: false,
    };
    journal.sent.push(sent);
    if (journal.failedAt !== undefined) journal.afterFailure++;
    journal.maxInFlight = Math.max(journal.maxInFlight, ++journal.inFlight);
    try {
      if (answers.delay_ms !== undefined) await sleep(answers.delay_ms);
      if (answers.failure && (answers.failure.batch ?? context.batch) === context.batch)
        await fail(answers.failure, sent);
      return { answers: answersOf(sent.names, answers, callOf) as never };
    } finally {
      journal.inFlight--;
    }
  };
  return (request, context) => {
    const answered = model(request, context) as Promise<DecisionResponse>;
    // The call is lost once the rejection can be seen.
    answered.catch(() => {
      journal.failedAt ??= performance.now();
    });
    return answered;
  };
}

async function fail(failure: NonNullable<Answers["failure"]>, sent: Sent): Promise<void> {
  const { kind, error = "scripted failure", after_ms = 0 } = failure;
  const lose = (thrown: unknown) => {
    sent.failed = true;
    throw thrown;
  };
  switch (kind) {
    case "throw":
    case "reject":
      return lose(new Error(error));
    case "reject_non_error":
      return lose(error);
    case "reject_undefined":
      return lose(undefined);
    case "hang":
      return new Promise<void>(() => {});
    case "late_answer":
      await sleep(after_ms);
      return;
    case "late_rejection":
      await sleep(after_ms);
      return lose(new Error(error));
    default:
      throw new Error(`unknown failure: ${kind}`);
  }
}

/** Probabilities by name, with the one that the case replaces. */
function answersOf(names: readonly string[], answers: Answers, callOf: (name: string) => string | undefined): object {
  const nameOf = new Map<string, string>();
  const all: Record<string, unknown> = {};
  for (const name of names) {
    const [kind, pair] = name.split("_") as ["call" | "result", string];
    const id = callOf(pair) ?? pair;
    nameOf.set(`${kind} of ${id}`, name);
    const given = (Object.hasOwn(answers.by_call ?? {}, id) ? answers.by_call?.[id] : undefined) ?? answers.default;
    if (given) all[name] = given[kind];
  }
  const { override } = answers;
  if (!override) return all;
  const { question, value, $js, missing, inherited, extra_question, label: _, ...rest } = override;
  if (Object.keys(rest).length > 0) throw new Error(`unknown override: ${Object.keys(rest).join(", ")}`);
  const replaced = $js !== undefined ? evaluate(String($js)) : value;
  if (extra_question !== undefined) return { ...all, [String(extra_question)]: replaced };
  const name = nameOf.get(String(question));
  if (name === undefined) return all;
  if (missing || inherited) {
    delete all[name];
    return inherited ? Object.assign(Object.create({ [name]: value }), all) : all;
  }
  return { ...all, [name]: replaced };
}
