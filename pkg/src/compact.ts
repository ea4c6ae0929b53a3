import type { Asking, OutcomeArray, Session } from "#glue";
import { type DecidedPair, readCanonical, readDecisions } from "./apply.js";
import { combine, isCombined, sorted } from "./combine.js";
import { deepCopy } from "./copy.js";
import { CycleError, jsonChars } from "./count.js";
import { type Instance, ready, readySync } from "./engine.js";
import { abortedError, type CompactionError, invalidRequest, reading } from "./errors.js";
import type { Reader, ReadHistory } from "./format.js";
import { buildRequest, checkAborted, Host, orAborted } from "./host.js";
import { questionsOf, readBatches, viewState } from "./questions.js";
import { listsOf, takeRequest, withFound } from "./request.js";
import { type Measured, report } from "./result.js";
import { type CheckedRuntime, checkRuntime, type Limits, limitsOf, localPoint } from "./runtime.js";
import type {
  AnyDecisionModel,
  ApplyOptions,
  CombinedDecisionModel,
  CompactionRequest,
  CompactionResult,
  Decision,
  DecisionModel,
  GivenDecision,
  InspectedRequest,
  InspectOptions,
  Message,
  RuntimeOptions,
} from "./types.js";

/**
 * Asks the decision model about the old tool calls of a history and proposes a smaller snapshot.
 *
 * The input is never changed. Either everything succeeds or the call rejects with a {@link CompactionError}; nothing partial is
 * returned.
 *
 * @param request what to compact, and what happens next
 * @param decisionModel a function, `localDecisionModel()`, or both combined (`keepline/models/combine`)
 * @param runtime what is not data: signal, callbacks, timeouts
 */
export function compactContext<M = Message>(
  request: CompactionRequest<M>,
  decisionModel: AnyDecisionModel,
  runtime?: RuntimeOptions,
): Promise<CompactionResult<M>> {
  return compactWith(() => readCanonical, request, decisionModel, runtime);
}

/** {@link compactContext} for messages of any format. The reader is made once the request is known to be one. */
export async function compactWith<M>(
  reader: () => Reader,
  request: CompactionRequest<M>,
  decisionModel: AnyDecisionModel,
  runtime?: RuntimeOptions,
): Promise<CompactionResult<M>> {
  if (isCombined(decisionModel)) return compactCombined(reader, request, decisionModel, runtime);
  const started = performance.now();
  const checked = checkRuntime(runtime);
  checkAborted(checked.signal);
  const point = localPoint(decisionModel);
  const model = point === undefined ? (decisionModel as DecisionModel) : undefined;
  const limits = limitsOf(model);
  const taken = takeRequest(request);
  const read = reader();
  const instance = await orAborted(ready(), checked.signal);
  const history = new History(read, taken.messages, taken.settings, checked);
  const host = new Host(history.read, checked, instance.templates[checked.language], model);
  host.tell("onProgress", { phase: "prepare", done: 0, total: 1 });
  const session = history.open(instance, host);
  const outcome = await decide(instance, session, host, { point, limits, checked });
  checkAborted(checked.signal);
  host.tell("onProgress", { phase: "apply", done: 1, total: 1 });
  checkAborted(checked.signal);
  const result = history.result(instance, outcome, { usage: host.usage, retries: host.retries, started });
  instance.settle();
  return result as CompactionResult<M>;
}

/** Decides with two models. */
async function compactCombined<M>(
  reader: () => Reader,
  request: CompactionRequest<M>,
  combined: CombinedDecisionModel,
  runtime?: RuntimeOptions,
): Promise<CompactionResult<M>> {
  const started = performance.now();
  const checked = checkRuntime(runtime);
  const taken = takeRequest(request);
  // One copy for all passes: what the host does to its objects meanwhile changes nothing.
  const messages = checked.shareUnchanged ? taken.messages : deepCopy(taken.messages, "messages");
  const own = { ...taken.settings, messages } as unknown as CompactionRequest<M>;
  const inner = { ...runtime, shareUnchanged: true };
  const quiet = { shareUnchanged: true, countChars: false, language: checked.language };
  const apply = { shareUnchanged: true, countChars: checked.countChars, language: checked.language };
  const result = await combine<CompactionResult<M>>(combined, {
    locally: () => compactWith(reader, own, combined.local, quiet),
    alone: () => compactWith(reader, own, combined.local, inner),
    remotely: (certain) =>
      compactWith(
        reader,
        withProtected(own, certain),
        combined.remote,
        certain.length === 0 ? inner : { ...inner, countChars: false },
      ),
    apply: (decisions) => applyWith(reader, own, decisions, apply),
  });
  result.stats.elapsed_ms = performance.now() - started;
  return result;
}

/** A request in which further calls are not asked about. */
function withProtected<M>(request: CompactionRequest<M>, calls: readonly string[]): CompactionRequest<M> {
  return { ...request, protected_call_ids: [...(request.protected_call_ids ?? []), ...calls] };
}

/** Decides with the local model at once, or asks a decision function. */
export async function decide(
  instance: Instance,
  session: Session,
  host: Host,
  { point, limits, checked }: { point: number | undefined; limits: Limits; checked: CheckedRuntime },
): Promise<OutcomeArray> {
  if (point !== undefined) {
    try {
      return instance.run(() => session.local(point, checked.language === "zh"));
    } finally {
      if (!instance.trapped) session.free();
    }
  }
  return new Promise((resolve, reject) => {
    const lost = (error: CompactionError) => {
      host.stop(error);
      reject(error);
    };
    instance.calls.add(lost);
    const end = () => instance.calls.delete(lost);
    const fail = (thrown: unknown) => {
      end();
      host.stop(undefined);
      const error = instance.errorOf(thrown);
      reject(error.code === "aborted" && checked.signal ? abortedError(checked.signal) : error);
    };
    try {
      withAsking(instance, checked, limits, (asking) =>
        session.compact(asking, checked.maxRetries, checked.retryDelaySeconds * 1000),
      ).then((outcome) => {
        end();
        resolve(outcome);
      }, fail);
    } catch (thrown) {
      fail(thrown);
    }
  });
}

/** Runs something inside the module with the manner of asking. */
function withAsking<T>(
  instance: Instance,
  { language, redact }: CheckedRuntime,
  { maxQuestions, maxRequestTokens }: Limits,
  task: (asking: Asking) => T,
): T {
  return instance.run(({ Asking }) => {
    const redaction = typeof redact === "function" ? 2 : redact ? 1 : 0;
    const asking = new Asking(language === "zh", redaction, maxQuestions, maxRequestTokens);
    try {
      return task(asking);
    } finally {
      asking.free();
    }
  });
}

/** A request's history, read once: what the core sees, what bodies it may ask for, and what the result is built from. */
class History {
  readonly read: ReadHistory;

  constructor(
    read: Reader,
    messages: readonly unknown[],
    private readonly settings: Record<string, unknown>,
    private readonly runtime: CheckedRuntime,
  ) {
    // Copied before anything is read or asked: what the host does to its objects meanwhile changes nothing.
    this.read = reading("messages", () =>
      read(runtime.shareUnchanged ? messages : deepCopy(messages, "messages"), listsOf(settings)),
    );
  }

  open(instance: Instance, host: Host): Session {
    try {
      return instance.run(({ Session }) => Session.fromFlat(this.read.numbers, this.read.text, this.settings, host));
    } catch (error) {
      throw withFound(error as CompactionError, this.settings);
    }
  }

  result(
    instance: Instance,
    outcome: OutcomeArray,
    measured: Pick<Measured, "usage" | "retries" | "started">,
    pairs = readDecisions(outcome, instance, this.read.name),
  ): CompactionResult<object> {
    const { messages, map } = this.read.rebuild(outcome, pairs, instance.templates[this.runtime.language][2]);
    const [charsBefore, charsAfter] = this.runtime.countChars ? this.chars(messages) : [null, null];
    const rest = report(outcome, pairs, { ...measured, map, messagesAfter: messages.length, charsBefore, charsAfter });
    const { schema_version, changed, reason, decisions, message_map, stats } = rest;
    return { schema_version, messages, changed, reason, decisions, message_map, stats };
  }

  /** Characters before and after; a message that stayed is counted once. */
  private chars(messages: readonly object[]): [number, number] {
    const known = new Map<object, number>();
    const list = (list: readonly object[]) => {
      let chars = 2 + Math.max(0, list.length - 1);
      for (const message of list) {
        let count = known.get(message);
        if (count === undefined) {
          count = jsonChars(message);
          known.set(message, count);
        }
        chars += count;
      }
      return chars;
    };
    try {
      return [list(this.read.messages), list(messages)];
    } catch (cause) {
      const why = cause instanceof CycleError ? "a value in them contains itself" : "reading them threw";
      throw invalidRequest(
        "messages",
        `the characters of messages cannot be counted: ${why}; mend that, or set runtime.countChars to false`,
        { cause },
      );
    }
  }
}

/**
 * Shows exactly what would be sent, batch by batch, without sending it: for consent screens and tests. The local model
 * sends nothing, so there is nothing to show for it.
 */
export function inspectRequests<M = Message>(
  request: CompactionRequest<M>,
  options: InspectOptions = {},
): Promise<InspectedRequest[]> {
  return inspectWith(() => readCanonical, request, options);
}

/** {@link inspectRequests} for messages of any format. */
export async function inspectWith<M>(
  reader: () => Reader,
  request: CompactionRequest<M>,
  options: InspectOptions,
): Promise<InspectedRequest[]> {
  const { model, ...rest } = options;
  if (model !== undefined && isCombined(model)) return inspectCombined(reader, request, model, rest);
  const checked = checkRuntime(rest);
  const taken = takeRequest(request);
  const local = model !== undefined && localPoint(model) !== undefined;
  const limits = limitsOf(local ? undefined : (model as DecisionModel | undefined));
  const read = reader();
  const instance = await ready();
  const history = new History(read, taken.messages, taken.settings, { ...checked, shareUnchanged: true });
  const session = history.open(instance, new Host(history.read, checked));
  const requests = use(instance, session, () =>
    withAsking(instance, checked, limits, (asking) => session.inspect(asking)),
  );
  if (local) return [];
  const batches = readBatches(requests);
  const states = requests[0].map(viewState);
  return batches.map(({ window, asked }, batch) => {
    const questions = questionsOf(asked, instance.templates[checked.language]);
    const shown = buildRequest(
      requests[0][window] as string,
      states[window] as () => Readonly<Record<string, unknown>>,
      questions,
    );
    return Object.freeze(
      Object.defineProperties(
        {},
        { ...Object.getOwnPropertyDescriptors(shown), ...constants({ batch, batches: batches.length }) },
      ),
    ) as InspectedRequest;
  });
}

/** What the other one of two models would be sent: what the local one is sure of is not. */
async function inspectCombined<M>(
  reader: () => Reader,
  request: CompactionRequest<M>,
  { local, remote, remoteFor, band }: CombinedDecisionModel,
  options: Omit<InspectOptions, "model">,
): Promise<InspectedRequest[]> {
  const { language } = checkRuntime(options);
  const { messages, settings } = takeRequest(request);
  const own = { ...settings, messages } as unknown as CompactionRequest<M>;
  if (remoteFor === "all") return inspectWith(reader, own, { ...options, model: remote });
  const quiet = { shareUnchanged: true, countChars: false, language };
  const { certain, open } = sorted((await compactWith(reader, own, local, quiet)).decisions, band);
  if (open.length === 0) return [];
  const calls = certain.map(({ call_id }) => call_id);
  return inspectWith(reader, withProtected(own, calls), { ...options, model: remote });
}

function constants(fields: Record<string, unknown>): PropertyDescriptorMap {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { value, enumerable: true }]));
}

/** Runs something with a session and frees it. */
export function use<T>(instance: Instance, session: Session, task: () => T): T {
  try {
    return instance.run(task);
  } finally {
    if (!instance.trapped) session.free();
  }
}

/**
 * The snapshot again with other thresholds and the probabilities that are known already; asks no model. Synchronous once
 * `init` is done. Pairs and protection are derived again from the request; a candidate without a decision is kept.
 */
export function applyDecisions<M = Message>(
  request: CompactionRequest<M>,
  decisions: readonly GivenDecision[],
  runtime?: ApplyOptions,
): CompactionResult<M> {
  return applyWith(() => readCanonical, request, decisions, runtime);
}

/** {@link applyDecisions} for messages of any format. */
export function applyWith<M>(
  reader: () => Reader,
  request: CompactionRequest<M>,
  decisions: readonly GivenDecision[],
  runtime?: ApplyOptions,
): CompactionResult<M> {
  const started = performance.now();
  const checked = checkRuntime(runtime);
  const taken = takeRequest(request);
  const answers = readGiven(decisions);
  const read = reader();
  const instance = readySync();
  const history = new History(read, taken.messages, taken.settings, checked);
  const session = history.open(instance, new Host(history.read, checked));
  const outcome = use(instance, session, () => session.decide(answers, checked.language === "zh"));
  const pairs = readDecisions(outcome, instance, history.read.name);
  matchGiven(decisions, pairs);
  const measured = { usage: [], retries: 0, started };
  const result = history.result(instance, outcome, measured, pairs) as CompactionResult<unknown> as CompactionResult<M>;
  carryReasons(decisions, result.decisions);
  return result;
}

/** Position of the pair, call and result probability of each decision. */
export function readGiven(decisions: readonly GivenDecision[]): Float64Array {
  return reading("decisions", () => answersOf(decisions));
}

function answersOf(decisions: readonly GivenDecision[]): Float64Array {
  if (!Array.isArray(decisions)) throw invalidRequest("decisions", "decisions must be a list", { value: decisions });
  const answers = new Float64Array(decisions.length * 5).fill(Number.NaN);
  // By index: a hole in the list is a decision that is missing.
  for (let index = 0; index < decisions.length; index++) {
    const decision: unknown = decisions[index];
    const path = `decisions[${index}]`;
    if (typeof decision !== "object" || decision === null)
      throw invalidRequest(path, `${path} must be an object`, { value: decision });
    const { id, keep_call, keep_result, cut } = decision as GivenDecision;
    if (typeof id !== "string" || !/^t[1-9]\d{0,8}$/.test(id))
      throw invalidRequest(`${path}.id`, `${path}.id must be the name of a pair, like "t1"`, { value: id });
    const number = (name: string, value: unknown) => {
      if (value === undefined) return Number.NaN;
      if (typeof value !== "number" || !(value >= 0 && value <= 1))
        throw invalidRequest(`${path}.${name}`, `${path}.${name} must be a number from 0 to 1`, { value });
      return value;
    };
    answers.set(
      [Number(id.slice(1)) - 1, number("keep_call", keep_call), number("keep_result", keep_result), ...ends(path, cut)],
      index * 5,
    );
  }
  return answers;
}

/** What was said of a decision stays with it. The sentence is that of the model's own line. */
export function carryReasons(given: readonly GivenDecision[], decisions: Decision[]): void {
  for (const { id, explain, cut } of given) {
    const decision = decisions[Number(id.slice(1)) - 1];
    if (decision?.keep_call === undefined) continue;
    if (cut) decision.cut = cut;
    if (explain) decision.explain = explain;
  }
}

/** Both ends of a cut of its own. */
function ends(path: string, cut: GivenDecision["cut"]): [number, number] {
  if (cut === undefined) return [Number.NaN, Number.NaN];
  const { head_chars, tail_chars } = cut ?? {};
  const isSize = (value: unknown) =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 0xffffffff;
  if (!isSize(head_chars) || !isSize(tail_chars))
    throw invalidRequest(`${path}.cut`, `${path}.cut must hold head_chars and tail_chars, integers of 0 or more`, {
      value: cut,
    });
  return [head_chars, tail_chars];
}

function matchGiven(given: readonly GivenDecision[], pairs: readonly DecidedPair[]): void {
  given.forEach(({ id, call_id }, index) => {
    const pair = pairs[Number(id.slice(1)) - 1]?.decision;
    if (!pair)
      throw invalidRequest(`decisions[${index}].id`, `decisions[${index}].id names no pair of this history`, {
        value: id,
      });
    if (pair.call_id !== call_id) {
      throw invalidRequest(
        `decisions[${index}].call_id`,
        `decisions[${index}].call_id must be ${JSON.stringify(pair.call_id)}, the call that ${id} is in this history`,
        { value: call_id },
      );
    }
  });
}
