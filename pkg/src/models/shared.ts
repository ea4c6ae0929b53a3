/** What the functions for decision models have in common: the words of the wire, and the answers in their shapes. */
import type { Answer, DecisionModel, DecisionRequest, DecisionResponse } from "../types.js";

/** What a model itself allows. */
export type Limits = NonNullable<DecisionModel["limits"]>;

/** A model function with its limits: those of its provider, and what the host says in their place. */
export function limited(model: DecisionModel, own: Limits | undefined, said?: Limits): DecisionModel {
  if (own === undefined && said === undefined) return model;
  const limits = { ...own };
  for (const [name, value] of Object.entries(said ?? {})) if (value !== undefined) limits[name as keyof Limits] = value;
  return Object.assign(model, { limits });
}

/** The questions of a request in another dialect. */
export function asked<Q>({ questions }: DecisionRequest, dialect: (instructions: string) => Q): Record<string, Q> {
  return Object.fromEntries(Object.entries(questions).map(([name, { instructions }]) => [name, dialect(instructions)]));
}

/** A question of the System One wire. */
export const noul = (instructions: string) => ({ type: "noul" as const, instructions });

/** Answers by name, from an object or from a list whose entries carry their names. The core reads every dialect of an answer. */
function answersOf(answers: unknown): DecisionResponse["answers"] {
  if (!Array.isArray(answers)) return answers as DecisionResponse["answers"];
  const byName: Record<string, Answer> = {};
  for (const answer of answers as { name?: unknown }[])
    if (typeof answer?.name === "string") byName[answer.name] = answer as unknown as Answer;
  return byName;
}

/** What a provider gave back, in the words of the core, which judges the answers; nothing at all has none. */
export function responseOf(given: unknown): DecisionResponse {
  const { answers, usage, model } = (given ?? {}) as { answers?: unknown; usage?: unknown; model?: unknown };
  return {
    answers: answersOf(answers),
    ...(usage !== undefined && { usage }),
    ...(typeof model === "string" && { model }),
  };
}

/** An answer of the provider that is no decision. */
export class HttpError extends Error {
  override name = "HttpError";

  /**
   * @param status the HTTP status
   * @param headers those of the answer; `retry-after` is read from them
   * @param body the start of the answer
   */
  constructor(
    readonly status: number,
    readonly headers: Headers,
    body: string,
  ) {
    super(`HTTP ${status}${body === "" ? "" : `: ${body.slice(0, 200)}`}`);
  }
}
