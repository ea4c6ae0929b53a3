/** What kind of failure it was; stable across releases. */
export type CompactionErrorCode =
  /** The request is not as described; `path` names the field. */
  | "invalid_request"
  /** The history does not fit the budgets; the message names the option to raise. */
  | "budget_exceeded"
  /** The decision model answered something that is no answer to `question`. */
  | "invalid_answer"
  /** The decision model failed after its retries; `cause` is what it threw. */
  | "decision_failed"
  /** The decision model did not answer in time. */
  | "timeout"
  /** The host's signal fired; `cause` is its reason. */
  | "aborted"
  /** The WebAssembly module could not be loaded; the message says what to do on this runtime. */
  | "load_failed"
  /** A fault of keepline itself. */
  | "internal";

/** Where a failure happened. */
export interface CompactionErrorDetails {
  /** The field of the request, like `options.keep_threshold` or `messages[3].role`. */
  path?: string | undefined;
  /** The batch, counted from 0 over all windows. */
  batch?: number | undefined;
  /** The question, like `result_t12`. */
  question?: string | undefined;
  /** What was thrown, the same value. */
  cause?: unknown;
}

const MARK = Symbol.for("keepline.CompactionError");

/** Every failure of keepline. Nothing was changed, and nothing partial is ever returned. */
export class CompactionError extends Error {
  /** What kind of failure it was. */
  readonly code: CompactionErrorCode;
  /** The field of the request that is at fault. */
  readonly path?: string;
  /** The batch that failed, counted from 0 over all windows. */
  readonly batch?: number;
  /** The question whose answer was wrong. */
  readonly question?: string;

  constructor(code: CompactionErrorCode, message: string, details: CompactionErrorDetails = {}) {
    super(message, "cause" in details ? { cause: details.cause } : undefined);
    // Web code tells an abort by this name.
    this.name = code === "aborted" ? "AbortError" : "CompactionError";
    this.code = code;
    if (details.path !== undefined) this.path = details.path;
    if (details.batch !== undefined) this.batch = details.batch;
    if (details.question !== undefined) this.question = details.question;
    Object.defineProperty(this, MARK, { value: true });
  }

  /** Whether a value is such an error, also one of another copy of the package or another realm. */
  static isInstance(value: unknown): value is CompactionError {
    try {
      return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[MARK] === true;
    } catch {
      // A Proxy that lets nobody look is none of ours.
      return false;
    }
  }
}

/** A field of the request is wrong. */
export function invalidRequest(
  path: string,
  rule: string,
  found?: { value: unknown } | { cause: unknown },
): CompactionError {
  if (found && "cause" in found) {
    return new CompactionError("invalid_request", rule, { path, cause: found.cause });
  }
  const tail = found ? `; found ${describe(found.value)}` : "";
  return new CompactionError("invalid_request", rule + tail, { path });
}

/** Reads something of the caller's; what its getters or proxies throw comes out as an error that names it. */
export function reading<T>(path: string, task: () => T): T {
  try {
    return task();
  } catch (cause) {
    if (CompactionError.isInstance(cause)) throw cause;
    throw invalidRequest(path, `${path} cannot be read: reading it threw`, { cause });
  }
}

/** The host's signal fired. */
export function abortedError(signal: AbortSignal): CompactionError {
  return new CompactionError("aborted", "the compaction was aborted; nothing was changed", { cause: signal.reason });
}

/** A value in a few words, for error messages. */
export function describe(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
    case "undefined":
      return "nothing";
    case "bigint":
      return `${value}n`;
    case "function":
      return "a function";
    case "symbol":
      return "a symbol";
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? "a list" : "an object";
    default:
      return Object.is(value, -0) ? "-0" : String(value);
  }
}

/** A plain object that the module throws: what it is and where. */
export interface Fault extends Pick<CompactionErrorDetails, "path" | "batch" | "question"> {
  code: CompactionErrorCode;
  message: string;
}

export function isFault(value: unknown): value is Fault {
  return (
    typeof value === "object" && value !== null && !(value instanceof Error) && "code" in value && "message" in value
  );
}

export function errorOfFault({ code, message, path, batch, question }: Fault): CompactionError {
  return new CompactionError(code, message, { path, batch, question });
}
