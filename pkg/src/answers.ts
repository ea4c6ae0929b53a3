import { CompactionError } from "./errors.js";

/** The field that holds the probability, by the type of the answer; every dialect of the field. */
const DIALECTS: Readonly<Record<string, string>> = {
  binary_answer: "probability",
  boolean: "probability",
  predicate: "probability",
  noul: "noul",
};

/** Reads one number for each question, in order. Only own properties count. */
export function readAnswers(response: unknown, questions: readonly string[], batch: number): Float64Array {
  const answers = isObject(response) ? response.answers : undefined;
  if (!isObject(answers)) {
    throw new CompactionError("invalid_answer", "the decision model must return an object with an object `answers`", {
      batch,
    });
  }
  const probabilities = new Float64Array(questions.length);
  for (let index = 0; index < questions.length; index++) {
    const question = questions[index] as string;
    if (!Object.hasOwn(answers, question)) throw wrong(question, batch, "was not answered");
    probabilities[index] = readAnswer(answers[question], question, batch);
  }
  return probabilities;
}

function readAnswer(answer: unknown, question: string, batch: number): number {
  const value = typeof answer === "number" ? answer : fromDialect(answer, question, batch);
  if (typeof value === "number" && value >= 0 && value <= 1) return value;
  throw wrong(
    question,
    batch,
    `must be answered with a probability from 0 to 1, not with ${typeof value === "number" ? value : typeof value}`,
  );
}

function fromDialect(answer: unknown, question: string, batch: number): unknown {
  if (!isObject(answer))
    throw wrong(
      question,
      batch,
      `must be answered with a probability from 0 to 1, not with ${answer === null ? "null" : typeof answer}`,
    );
  const type = Object.hasOwn(answer, "type") ? answer.type : undefined;
  if (type === "refusal" || type === "refusal_answer") throw wrong(question, batch, "was refused");
  const field =
    type === undefined
      ? "probability"
      : typeof type === "string" && Object.hasOwn(DIALECTS, type)
        ? DIALECTS[type]
        : undefined;
  if (field === undefined) throw wrong(question, batch, `has an answer of unknown type ${String(type).slice(0, 40)}`);
  if (!Object.hasOwn(answer, field)) throw wrong(question, batch, `has an answer without ${field}`);
  return answer[field];
}

function wrong(question: string, batch: number, what: string): CompactionError {
  return new CompactionError("invalid_answer", `${question} ${what}`, { question, batch });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
