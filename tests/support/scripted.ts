/** Scripted decision models. */
import type { DecisionModel } from "keepline";

/** A probability that depends on the question's name and a seed alone. */
export function probability(question: string, seed: number): number {
  let hash = seed ^ 0x811c9dc5;
  for (let at = 0; at < question.length; at++) hash = Math.imul(hash ^ question.charCodeAt(at), 0x01000193);
  return ((hash >>> 8) % 101) / 100;
}

/** A model that answers by name. */
export function answering(answer: (question: string) => unknown): DecisionModel {
  return async ({ questions }) => ({
    answers: Object.fromEntries(Object.keys(questions).map((name) => [name, answer(name)])) as never,
  });
}

/** A model whose answers depend on the names of the questions and a seed alone. */
export function scripted(seed: number): DecisionModel {
  return answering((question) => probability(question, seed));
}
