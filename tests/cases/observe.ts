/** Running a case and writing down all that its expectations may ask about. */
import {
  applyDecisions,
  CompactionError,
  type CompactionRequest,
  type CompactionResult,
  compactContext,
  type Decision,
  type DecisionModel,
} from "keepline";
import { request as smallRequest, step, user } from "../support/requests.js";
import { answering } from "../support/scripted.js";
import { adapterOf } from "./adapters.js";
import type { Answers, Run } from "./case.js";
import { type Journal, newJournal, scriptedModel } from "./script.js";

/** A block as the checks read it. */
export type Block = Record<string, unknown> & { type: string };

/** All that is known after a run. */
export interface Observed {
  run: Run;
  request: CompactionRequest;
  /** A copy made before the call, where the request can be copied. */
  before: CompactionRequest | undefined;
  result: CompactionResult | undefined;
  error: unknown;
  journal: Journal;
  milliseconds: number;
  unhandled: unknown[];
  /** Answers that came after the call was over changed something. */
  lateChange: boolean;
  /** Pair name → call id. */
  callOf: ReadonlyMap<string, string>;
  /** In a second run: the first one. */
  first?: Observed;
}

/** Compacts in the format of a run. */
async function compactIn(run: Run, request: CompactionRequest, model: DecisionModel): Promise<CompactionResult> {
  const adapter = adapterOf(run.format);
  if (!adapter) return compactContext(request, model, run.runtime);
  const { messages, ...settings } = request;
  return (await adapter.compactMessages(messages, settings, model, run.runtime)) as CompactionResult;
}

/** Pair names and call ids as the product pairs them; nothing where the request is refused. */
async function pairsOf(run: Run, request: CompactionRequest): Promise<Map<string, string>> {
  try {
    const keep = answering(() => 1);
    const { decisions } = adapterOf(run.format)
      ? await compactIn(run, request, keep)
      : applyDecisions(request, [], { shareUnchanged: true, countChars: false });
    return new Map(decisions.map(({ id, call_id }) => [id, call_id]));
  } catch {
    return new Map();
  }
}

function copyOf<T>(value: T): T | undefined {
  try {
    return structuredClone(value);
  } catch {
    return undefined;
  }
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Runs a request with its scripted model, and waits for what comes late. A copy to compare with costs memory. */
export async function observe(
  run: Run,
  request: CompactionRequest,
  answers: Answers,
  compares = true,
): Promise<Observed> {
  const callOf = await pairsOf(run, request);
  const before = compares ? copyOf(request) : undefined;
  const journal = newJournal();
  const model = scriptedModel(answers, (name) => callOf.get(name), journal);
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", note);
  const start = performance.now();
  let result: CompactionResult | undefined;
  let error: unknown;
  try {
    result = await compactIn(run, request, model);
  } catch (thrown) {
    error = thrown;
  }
  const milliseconds = performance.now() - start;
  const settled = JSON.stringify([result?.decisions, CompactionError.isInstance(error) && error.message]);
  await sleep(answers.failure?.after_ms === undefined ? 5 : answers.failure.after_ms + 50);
  const lateChange =
    settled !== JSON.stringify([result?.decisions, CompactionError.isInstance(error) && error.message]);
  process.off("unhandledRejection", note);
  return { run, request, before, result, error, journal, milliseconds, unhandled, lateChange, callOf };
}

/** Whether an ordinary call works now. */
export async function nextCallWorks(): Promise<boolean> {
  const small = smallRequest([user("Go."), step("c1"), user("Next.")]);
  const { reason } = await compactContext(
    small,
    answering(() => 0),
  );
  return reason === "compacted";
}

/** Call ids that were asked about, in the order of the questions. */
export function askedCalls({ journal, callOf }: Observed): string[] {
  const names = journal.sent
    .filter(({ context }) => context.attempt === 0)
    .toSorted((one, other) => one.context.batch - other.context.batch)
    .flatMap((sent) => sent.names);
  return [...new Set(names.map((name) => name.split("_")[1] as string))].map((pair) => callOf.get(pair) ?? pair);
}

/** Everything that was handed to the decision model, as text. */
export function handedOver({ journal }: Observed): string[] {
  return journal.sent.flatMap(({ request }) => [
    request.stateJson,
    JSON.stringify(request.state),
    JSON.stringify(request.questions),
  ]);
}

/** The decision about a call. */
export function decisionOf({ result }: Observed, id: string): Decision | undefined {
  return result?.decisions.find(({ call_id }) => call_id === id);
}

export function blocksOf(message: unknown): Block[] {
  const { content } = (message ?? {}) as { content?: unknown };
  return Array.isArray(content) ? (content as Block[]) : [];
}

/** The text of an output. */
export function textOf(output: unknown): string {
  if (typeof output === "string") return output;
  return Array.isArray(output) ? output.map(({ text }: { text?: string }) => text ?? "").join("\n") : "";
}

/** The result block of a call. */
export function resultBlock(messages: readonly unknown[], id: string): Block | undefined {
  return messages.flatMap(blocksOf).find((block) => block.type === "tool_result" && block.id === id);
}

/** The call block of a call. */
export function callBlock(messages: readonly unknown[], id: string): Block | undefined {
  return messages.flatMap(blocksOf).find((block) => block.type === "tool_call" && block.id === id);
}

/** The message of the result that stood at this index of the input. */
export function messageAt({ result }: Observed, index: number): unknown {
  const place = result?.message_map[index];
  return place === null || place === undefined ? undefined : result?.messages[place];
}
