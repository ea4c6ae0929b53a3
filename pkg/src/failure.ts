import { CompactionError } from "./errors.js";

/** Why an attempt failed, as the core's loop reads it. */
export interface Failure {
  /** Whether another attempt may help. */
  retryable: boolean;
  /** What the provider asks to wait, in milliseconds; 0 for nothing. */
  retryAfter: number;
  /** The error to reject with. */
  error: CompactionError;
}

/** HTTP answers in the range of lasting errors that pass all the same: timeout, too early, too many requests. */
const PASSING = [408, 425, 429];

/** What the SDKs of the field call an error that says that the model refused. */
const REFUSALS: readonly unknown[] = ["RefusalError", "ModelRefusalError", "AI_DecisionRefusalError"];

/** What they call one that says that answers are missing or no probabilities. */
const WRONG_ANSWERS: readonly unknown[] = ["AI_InvalidResponseDataError"];

/** Where LangChain.js says whether another attempt may help; registered for every copy of it. */
const LANGCHAIN_RETRYABLE = Symbol.for("langchain.errors.retryable");

type Fields = Record<string | symbol, unknown>;

/** Sorts what a decision model threw. The rules follow what the SDKs of the field put on their errors. */
export function failureOf(thrown: unknown, batch: number, batches: number): Failure {
  if (CompactionError.isInstance(thrown)) return { retryable: false, retryAfter: 0, error: thrown };
  const [code, what] = kindOf(thrown);
  const { retryable, retryAfter } =
    code === "invalid_answer" ? { retryable: false, retryAfter: 0 } : prospectOf(thrown);
  const wait = retryAfter > 0 ? `; it asks to wait ${Math.ceil(retryAfter / 100) / 10} s` : "";
  const error = new CompactionError(
    code,
    `the decision model ${what} in request ${batch + 1} of ${batches}${sayable(thrown)}${wait}`,
    { batch, cause: thrown },
  );
  return { retryable, retryAfter, error };
}

/** Whether and when another attempt may help. */
function prospectOf(thrown: unknown): Pick<Failure, "retryable" | "retryAfter"> {
  if (typeof thrown !== "object" || thrown === null) return { retryable: true, retryAfter: 0 };
  try {
    return { retryable: mayHeal(thrown as Fields), retryAfter: retryAfterOf(thrown as Fields) };
  } catch {
    // An error that cannot even be read.
    return { retryable: true, retryAfter: 0 };
  }
}

/** A refusal is the same whether it comes as an answer or is thrown. */
function kindOf(thrown: unknown): ["decision_failed" | "invalid_answer", string] {
  try {
    const { code, type, name } = (thrown ?? {}) as Fields;
    if (code === "refusal" || type === "refusal" || REFUSALS.includes(name)) return ["invalid_answer", "refused"];
    if (WRONG_ANSWERS.includes(name)) return ["invalid_answer", "answered wrongly"];
  } catch {
    // An error that cannot even be read.
  }
  return ["decision_failed", "failed"];
}

function sayable(thrown: unknown): string {
  try {
    const { message } = (thrown ?? {}) as { message?: unknown };
    const words = typeof thrown === "string" ? thrown : message;
    return typeof words === "string" && words !== "" ? `: ${words.slice(0, 300)}` : "";
  } catch {
    return "";
  }
}

function mayHeal(thrown: Fields): boolean {
  if (thrown.retryable === false || thrown.isRetryable === false || thrown[LANGCHAIN_RETRYABLE] === false) return false;
  if (thrown.name === "AbortError") return false;
  const status = [thrown.status, thrown.statusCode, (thrown.response as Fields | undefined)?.status].find(
    (value) => typeof value === "number",
  );
  return typeof status !== "number" || status < 400 || status > 499 || PASSING.includes(status);
}

/** A header that says nothing is none. */
const orNothing = (value: unknown) =>
  value === null || (typeof value === "string" && value.trim() === "") ? undefined : value;

/** From the error itself, or from the headers it carries; `retry-after-ms` is the more exact one. */
function retryAfterOf(thrown: Fields): number {
  const header = (name: string) =>
    [thrown.headers, thrown.responseHeaders, (thrown.response as Fields | undefined)?.headers]
      .map((headers) => read(headers, name))
      .find((value) => value !== undefined);
  const exact = Number(thrown.retryAfterMs ?? header("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const said = thrown.retryAfter ?? header("retry-after");
  if (said === undefined || said === null) return 0;
  const seconds = Number(said);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(String(said)) - Date.now();
  return Math.max(0, Number.isNaN(wait) ? 0 : wait);
}

function read(headers: unknown, name: string): unknown {
  if (typeof headers !== "object" || headers === null) return undefined;
  if (typeof (headers as Headers).get === "function") return orNothing((headers as Headers).get(name));
  const key = Object.keys(headers).find((key) => key.toLowerCase() === name);
  return key === undefined ? undefined : orNothing((headers as Fields)[key]);
}
