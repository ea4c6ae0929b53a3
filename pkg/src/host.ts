import type { RequestsArray } from "#glue";
import { readAnswers } from "./answers.js";
import { abortedError, CompactionError, errorOfFault, invalidRequest, isFault, reading } from "./errors.js";
import { type Failure, failureOf } from "./failure.js";
import { type Batch, questionsOf, readBatches, viewState } from "./questions.js";
import type { CheckedRuntime } from "./runtime.js";
import { codePoints, escapedId, headOf, tailOf } from "./text.js";
import type { DecisionModel, DecisionRequest } from "./types.js";

/** The longest time that timers can tell; a longer one is for ever. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Where outputs and ids come from. */
export interface Bodies {
  output(message: number, block: number): string | undefined;
  id(message: number, block: number): string;
}

/**
 * The JavaScript side of one call (src/wasm/host.rs): attempts, timers and signals. Every promise it gives settles, at the
 * latest with `stop`, so that nothing is held on to when a decision model never answers.
 */
export class Host {
  readonly usage: unknown[] = [];
  retries = 0;
  private batches: readonly Batch[] = [];
  private states: (() => Readonly<Record<string, unknown>>)[] = [];
  private views: readonly string[] = [];
  private readonly stopped = new AbortController();
  private deadline = 0;
  private answeredCount = 0;
  private lost = false;

  constructor(
    private readonly bodies: Bodies,
    private readonly runtime: CheckedRuntime,
    private readonly templates: readonly string[] = [],
    private readonly model?: DecisionModel,
    private readonly parseSettings?: (rest: string) => object,
  ) {}

  output(message: number, block: number, limit: number): string | undefined {
    const text = this.bodies.output(message, block);
    if (text === undefined || text.length <= limit || codePoints(text) <= limit) return text;
    return `${headOf(text, limit / 2)}\n${tailOf(text, limit / 2)}`;
  }

  escapedId(message: number, block: number): string {
    return escapedId(this.bodies.id(message, block));
  }

  settings(rest: string): object {
    return this.parseSettings?.(rest) ?? {};
  }

  redact(text: string, part: string): string {
    const redact = this.runtime.redact as (text: string, part: string) => unknown;
    let shown: unknown;
    try {
      shown = redact(text, part);
    } catch (cause) {
      throw invalidRequest("runtime.redact", "runtime.redact threw; nothing was sent", { cause });
    }
    if (typeof shown !== "string")
      throw invalidRequest("runtime.redact", "runtime.redact must return a string", { value: shown });
    return shown;
  }

  begin(requests: RequestsArray, totalMilliseconds: number): void {
    this.deadline = performance.now() + totalMilliseconds;
    this.batches = readBatches(requests);
    this.views = requests[0];
    this.states = requests[0].map(viewState);
    this.progress(0);
  }

  /** The request of a batch, as the decision model gets it. */
  request(batch: number): DecisionRequest {
    const { window, asked } = this.batches[batch] as Batch;
    return buildRequest(
      this.views[window] as string,
      this.states[window] as () => Readonly<Record<string, unknown>>,
      questionsOf(asked, this.templates),
    );
  }

  ask(batch: number, attempt: number): Promise<Float64Array> {
    return new Promise((resolve, reject: (failure: Failure) => void) => {
      const isOver = () => reject({ retryable: false, retryAfter: 0, error: overError(batch) });
      // Whoever waits to try again when the call ends must not.
      if (this.stopped.signal.aborted) return isOver();
      // A model that never lets go of the thread keeps timers from firing.
      if (this.remaining() <= 0) {
        const error = new CompactionError(
          "timeout",
          "the time for all requests is over; raise options.total_timeout_seconds",
          {
            batch,
          },
        );
        return reject({ retryable: false, retryAfter: 0, error });
      }
      if (this.lost) return this.stopped.signal.addEventListener("abort", isOver, { once: true });
      const controller = new AbortController();
      const { signal } = controller;
      const fail = (thrown: unknown) => reject(this.failure(thrown, batch, attempt));
      const onStop = () => controller.abort(this.stopped.signal.reason);
      const timer = after(this.runtime.timeoutSeconds * 1000, () => {
        const error = attemptTimeout(batch, this.runtime.timeoutSeconds);
        reject({ retryable: true, retryAfter: 0, error });
        controller.abort(new DOMException(error.message, "TimeoutError"));
      });
      const end = () => {
        clearTimeout(timer);
        this.stopped.signal.removeEventListener("abort", onStop);
      };
      signal.addEventListener("abort", () => {
        end();
        fail(signal.reason);
      });
      this.stopped.signal.addEventListener("abort", onStop);
      if (attempt > 0) this.retries++;
      this.call(batch, attempt, signal).then(
        ([usage, answers]) => {
          end();
          this.usage[batch] = usage;
          resolve(answers);
        },
        (failure) => {
          end();
          reject(failure);
        },
      );
    });
  }

  /** One attempt. What it rejects with is a {@link Failure}. */
  private async call(batch: number, attempt: number, signal: AbortSignal): Promise<[unknown, Float64Array]> {
    try {
      const request = this.request(batch);
      this.tell("onRequest", request);
      const context = { signal, batch, batches: this.batches.length, attempt };
      const response = await (this.model as DecisionModel)(request, context);
      const answers = answersIn(response, request, batch);
      return [usageOf(response), answers];
    } catch (thrown) {
      throw this.failure(thrown, batch, attempt);
    }
  }

  /** Sorts a failure. After one that no retry can heal no request starts, though the core's loop hears of it a little later. */
  private failure(thrown: unknown, batch: number, attempt: number): Failure {
    const failure = failureOf(thrown, batch, this.batches.length);
    this.lost ||= !failure.retryable || attempt >= this.runtime.maxRetries;
    return failure;
  }

  answered(_batch: number): void {
    this.progress(++this.answeredCount);
  }

  private progress(done: number): void {
    this.tell("onProgress", { phase: "decide", done, total: this.batches.length });
  }

  /** Calls back; what a callback throws is the caller's fault and ends the call. */
  tell<K extends "onProgress" | "onRequest">(name: K, argument: Parameters<NonNullable<CheckedRuntime[K]>>[0]): void {
    try {
      const told = (this.runtime[name] as ((argument: unknown) => unknown) | undefined)?.(argument);
      // What an async callback comes to is not waited for, and no reason to end the process.
      if (told instanceof Promise) told.catch(() => {});
    } catch (cause) {
      throw invalidRequest(`runtime.${name}`, `runtime.${name} threw`, { cause });
    }
  }

  sleep(milliseconds: number): Promise<boolean> {
    if (this.stopped.signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const done = (slept: boolean) => {
        clearTimeout(timer);
        this.stopped.signal.removeEventListener("abort", onStop);
        resolve(slept);
      };
      const onStop = () => done(false);
      const timer = after(milliseconds, () => done(true));
      this.stopped.signal.addEventListener("abort", onStop);
    });
  }

  aborted(): Promise<boolean> {
    const { signal } = this.runtime;
    return new Promise((resolve) => {
      const end = (fired: boolean) => {
        signal?.removeEventListener("abort", onAbort);
        resolve(fired);
      };
      const onAbort = () => end(true);
      if (signal?.aborted) return end(true);
      signal?.addEventListener("abort", onAbort);
      this.stopped.signal.addEventListener("abort", () => end(false), { once: true });
    });
  }

  remaining(): number {
    return this.deadline - performance.now();
  }

  /** Ends what is in flight. Signals fire with the host's own reason where the host aborted. */
  stop(reason: unknown): void {
    const { signal } = this.runtime;
    this.stopped.abort(signal?.aborted ? signal.reason : isFault(reason) ? errorOfFault(reason) : reason);
  }
}

/** A frozen request whose `state` is made on first access. */
export function buildRequest(
  stateJson: string,
  state: () => Readonly<Record<string, unknown>>,
  questions: DecisionRequest["questions"],
): DecisionRequest {
  return Object.freeze({
    get state() {
      return state();
    },
    stateJson,
    questions,
  });
}

/** What the provider says of the cost; no failure of it costs the answers. */
function usageOf(response: unknown): unknown {
  try {
    return (response as { usage?: unknown }).usage;
  } catch {
    return undefined;
  }
}

function answersIn(response: unknown, request: DecisionRequest, batch: number): Float64Array {
  try {
    return readAnswers(response, Object.keys(request.questions), batch);
  } catch (cause) {
    if (CompactionError.isInstance(cause)) throw cause;
    throw new CompactionError("invalid_answer", "reading the decision model's answer threw", { batch, cause });
  }
}

function overError(batch: number): CompactionError {
  return new CompactionError("aborted", "the call is over", { batch });
}

function attemptTimeout(batch: number, seconds: number): CompactionError {
  return new CompactionError(
    "timeout",
    `the decision model did not answer within ${seconds} s; raise runtime.timeoutSeconds or use a faster model`,
    { batch },
  );
}

function after(milliseconds: number, task: () => void): ReturnType<typeof setTimeout> | undefined {
  return milliseconds > LONGEST_TIMER ? undefined : setTimeout(task, milliseconds);
}

/** What a promise gives, unless the signal fires before: loading the module may take long, or never end. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(abortedError(signal));
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
    if (signal.aborted) stop();
  });
}

/** The error for a signal that fired, or nothing. */
export function checkAborted(signal: AbortSignal | undefined): void {
  if (reading("runtime.signal", () => signal?.aborted)) throw abortedError(signal as AbortSignal);
}
