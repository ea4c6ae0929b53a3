/** Reading a case: its fields, its macros, its variants. */
import type { CompactionRequest, DecisionModel, RuntimeOptions } from "keepline";
import { generateMessages } from "./generator.js";

/** One expectation: a word and what it says. Several words may stand in one entry. */
export type Expectation = Record<string, unknown>;

/** What the scripted decision model answers. */
export interface Answers {
  by_call?: Record<string, { call: number; result: number }>;
  default?: { call: number; result: number };
  failure?: { kind: string; batch?: number; error?: string; after_ms?: number };
  override?: Record<string, unknown>;
  delay_ms?: number;
  script?: unknown;
}

/** A case as its file holds it. */
export interface CaseFile {
  id: string;
  kind: string;
  source: string;
  format: string;
  request: Record<string, unknown>;
  runtime?: RuntimeOptions;
  answers?: Answers;
  expect: Expectation[];
  variants?: Record<string, unknown>[];
  rerun?: { append?: unknown[]; answers?: Answers; expect: Expectation[] };
}

/** One run: the case itself or one of its variants, ready to use. */
export interface Run {
  name: string;
  format: string;
  request: CompactionRequest;
  /** Steps in words, instead of a request. */
  sequence?: string[];
  runtime: RuntimeOptions;
  answers: Answers;
  expect: Expectation[];
  rerun?: CaseFile["rerun"];
  /** A feature that not every product has. */
  needs?: string;
  /** Where the run was read, so that another process can read it again. */
  origin?: { file: string; index: number };
}

/** The words of this file format. */
const CASE_FIELDS = new Set([..."id kind source format request runtime answers expect variants rerun".split(" ")]);
const ANSWER_FIELDS = new Set("by_call default failure override delay_ms script".split(" "));
/** What a variant may change, apart from what it expects. */
const REQUEST_FIELDS = new Set(
  "messages goal next_action source_refs eligible_tool_names protected_message_ids protected_call_ids task_starts context_fill".split(
    " ",
  ),
);
const VARIANT_FIELDS = new Set([
  ...REQUEST_FIELDS,
  ..."options answers failure override runtime expect needs_feature label note $js".split(" "),
]);

/** Refuses a field that this runner does not know: a case must not pass unread. */
function mustKnow(fields: object | undefined, known: ReadonlySet<string>, where: string): void {
  for (const field of Object.keys(fields ?? {}))
    if (!known.has(field)) throw new Error(`unknown field in ${where}: ${field}`);
}

/** The case and its variants. */
export function runsOf(file: CaseFile): Run[] {
  mustKnow(file, CASE_FIELDS, "the case");
  mustKnow(file.answers, ANSWER_FIELDS, "answers");
  const { generator, ...fields } = expand(file.request) as Record<string, unknown> & {
    generator?: { messages?: string; sequence?: string[] };
  };
  mustKnow(generator, new Set(["messages", "sequence"]), "the generator");
  if (generator?.messages !== undefined) fields.messages = generateMessages(generator.messages);
  const base: Run = {
    name: file.id,
    format: file.format,
    request: fields as unknown as CompactionRequest,
    runtime: file.runtime ?? {},
    answers: expand(file.answers ?? {}) as Answers,
    expect: file.expect,
    ...(generator?.sequence && { sequence: generator.sequence }),
    ...(file.rerun && { rerun: expand(file.rerun) as CaseFile["rerun"] }),
  };
  return [base, ...(file.variants ?? []).map((variant, index) => variantOf(base, variant, index))];
}

function variantOf(base: Run, raw: Record<string, unknown>, index: number): Run {
  mustKnow(raw, VARIANT_FIELDS, `variant ${index + 1}`);
  const { $js: change, ...rest } = raw;
  const variant = expand(rest) as Record<string, unknown> & {
    options?: object;
    answers?: Answers;
    failure?: Answers["failure"];
    override?: Answers["override"];
    runtime?: RuntimeOptions;
    expect: Expectation[];
    needs_feature?: string;
  };
  mustKnow(variant.answers, ANSWER_FIELDS, `the answers of variant ${index + 1}`);
  const request: Record<string, unknown> = { ...base.request };
  for (const field of REQUEST_FIELDS) if (field in variant) request[field] = variant[field];
  request.options = { ...base.request.options, ...variant.options };
  if (typeof change === "string") request.messages = changed(request.messages as object[], change);
  return {
    name: `${base.name} variant ${index + 1}`,
    format: base.format,
    request: request as unknown as CompactionRequest,
    runtime: { ...base.runtime, ...variant.runtime },
    answers: {
      ...(variant.answers ?? base.answers),
      ...(variant.failure && { failure: variant.failure }),
      ...(variant.override && { override: variant.override }),
    },
    expect: variant.expect,
    ...(variant.needs_feature !== undefined && { needs: variant.needs_feature }),
  };
}

/** Expands `$repeat`, `$concat` and the values that JSON cannot hold. */
function expand(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(expand);
  const { $repeat, $concat, $js, ...rest } = value as Record<string, unknown>;
  if ($repeat !== undefined) {
    const [text, times] = $repeat as [unknown, number];
    return String(expand(text)).repeat(times);
  }
  if ($concat !== undefined) return ($concat as unknown[]).map(expand).join("");
  if (typeof $js === "string" && Object.keys(rest).length === 0) return evaluate($js);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, name === "$js" || name === "expect" ? item : expand(item)]),
  );
}

/** A JavaScript expression of a case. */
export function evaluate(expression: string): unknown {
  return new Function(`return (${expression});`)();
}

class Keeper {
  own = 1;
}

/** What "a Date" and its like mean. */
const VALUES: Record<string, () => unknown> = {
  undefined: () => undefined,
  "a Date": () => new Date(86_400_000),
  "a BigInt": () => 2n ** 70n,
  "a Map": () => new Map([["a", { b: 1 }]]),
  "a Set": () => new Set([1]),
  "a URL": () => new URL("https://example.org/a"),
  "a RegExp": () => /a+/gi,
  "a Uint8Array": () => new Uint8Array([1, 2, 3]),
  "a symbol": () => Symbol("own"),
  "a class instance": () => new Keeper(),
  "a function": () => () => 1,
  NaN: () => Number.NaN,
  "-0": () => -0,
};

/** A change in words: `add A, B and C as extra fields of message N`. */
function changed(messages: readonly object[], words: string): object[] {
  const match = /^add (.+) as extra fields? of message (\d+)$/.exec(words);
  if (!match) throw new Error(`unknown change: ${words}`);
  const [, list, index] = match as unknown as [string, string, string];
  const extras = list.split(/, | and /).map((word, position) => {
    const make = VALUES[word];
    if (!make) throw new Error(`unknown value: ${word}`);
    return [`extra_${position}`, make()];
  });
  return messages.map((message, position) =>
    position === Number(index) ? { ...message, ...Object.fromEntries(extras) } : message,
  );
}

/** What a decision model is called with. */
export type Arguments = Parameters<DecisionModel>;
