/** One random history through an adapter, against everything that is promised. */
import { type CompactionResult, type DecisionModel, localDecisionModel } from "keepline";
import { probability } from "../support/scripted.js";
import type { FormatCheck, History, Settings, ViewRow } from "./format.js";
import { Random } from "./random.js";
import { script, TOOLS } from "./script.js";

/** What a check found, and what it covered. */
export interface Checked {
  violations: string[];
  applied: number;
  dropped: number;
  reported: number;
}

function settings(random: Random, options: History["options"]): Settings {
  return {
    goal: "Go on",
    eligible_tool_names: random.chance(0.8) ? TOOLS : TOOLS.slice(0, 2),
    protected_call_ids: random.chance(0.1) ? ["c1_0"] : [],
    options: {
      preserve_recent_messages: random.pick([0, 1, 1, 2, 4]),
      truncate_head_chars: random.pick([0, 10, 40]),
      truncate_tail_chars: random.pick([0, 0, 10]),
      keep_threshold: random.pick([0.3, 0.5, 0.9]),
      drop_call_mode: random.chance(0.1) ? "stub" : "remove",
      min_saved_chars: random.chance(0.05) ? 500 : 0,
      ...options,
    },
  };
}

function model(seed: number): DecisionModel {
  return async ({ questions }) => ({
    answers: Object.fromEntries(Object.keys(questions).map((name) => [name, probability(name, seed)])),
  });
}

/** Code and message of the input, of a report on the input or the result. */
function placed(report: string, origin: (message: number) => string): string {
  const [, code, place] = /^(\w+) @([^:]*):/.exec(report) as unknown as [string, string, string];
  const message = /^\d+/.exec(place)?.[0];
  return `${code} ${message === undefined ? place : origin(Number(message))}`;
}

const json = (value: unknown) =>
  JSON.stringify(value, (_, item) => (typeof item === "bigint" ? `${item}n` : item)) ?? "undefined";

/** Makes the history of a seed and checks it. */
export async function check(format: FormatCheck, seed: number): Promise<Checked> {
  const random = new Random(seed);
  const history = await format.write(script(random), random);
  const asked = settings(random, history.options);
  const { messages, runtime, validation, accepted = [] } = history;
  const before = json(messages);
  // Compared with itself, so that the rules that compare report the faults of the input too.
  const known = await format.validate(messages, { ...validation, before: messages });
  const decider = random.chance(0.1) ? localDecisionModel({ point: "firm" }) : model(seed);
  const result = await format.adapter.compactMessages(messages, asked, decider, runtime);
  const violations: string[] = [];
  const must = (holds: boolean, what: string) => {
    if (!holds) violations.push(what);
  };
  must(json(messages) === before, "the input was changed");
  const allowed = new Set(known.map((report) => placed(report, String)));
  const origins = (message: number) =>
    result.message_map.flatMap((place, index) => (place === message ? [index] : [])).join("+");
  const reports = await format.validate(result.messages, { ...validation, before: messages });
  for (const report of reports) {
    const [code, place = ""] = placed(report, origins).split(" ");
    const isKnown = place.split("+").some((message) => allowed.has(`${code} ${message}`));
    must(isKnown || accepted.includes(code as string), report);
  }
  promises(format, history, asked, result, must);
  tiesHold(format, history, asked, result, must);
  if (format.also) violations.push(...(await format.also(messages, result.messages, history)));
  const applied = format.adapter.decideMessages(messages, asked, result.decisions, runtime);
  must(json(applied.messages) === json(result.messages), "the same decisions give other messages");
  if (random.chance(0.1)) {
    const again = await format.adapter.compactMessages(messages, asked, decider, runtime);
    must(json(again.messages) === json(result.messages), "another result for the same request");
  }
  if (random.chance(0.2)) {
    // Nothing is wanted: what could be done is done at once.
    const nothing: DecisionModel = async ({ questions }) => ({
      answers: Object.fromEntries(Object.keys(questions).map((name) => [name, 0])),
    });
    const first = await format.adapter.compactMessages(messages, asked, nothing, runtime);
    const second = await format.adapter.compactMessages(first.messages, asked, nothing, runtime);
    must(!second.changed, `a second run changes ${json(second.decisions.filter(({ applied }) => applied))}`);
  }
  return {
    violations,
    applied: result.decisions.filter(({ applied }) => applied).length,
    dropped: result.decisions.filter(({ applied, action }) => applied && action === "drop_call").length,
    reported: known.length,
  };
}

const flat = <K extends "texts" | "calls" | "results">(view: readonly ViewRow[], field: K) =>
  view.flatMap((row) => row[field] as ViewRow[K][number][]);

/** Without an id that is only a place, since places move. */
const named = <T extends { id: string }>(end: T): T => (/^#\d/.test(end.id) ? { ...end, id: "#" } : end);

/** Calls of the open tool loop stay, and what is tied to something else is not touched. */
function tiesHold(
  { adapter, protects }: FormatCheck,
  { messages, runtime, untouchable = [], groups = [] }: History,
  asked: Settings,
  { decisions, messages: after, message_map: map }: CompactionResult<object>,
  must: (holds: boolean, what: string) => void,
): void {
  const tied = new Set(untouchable);
  for (const { call_id, applied } of decisions) must(!(applied && tied.has(call_id)), `${call_id} is tied`);
  const dropped = new Set(decisions.flatMap(({ call_id, action }) => (action === "drop_call" ? [call_id] : [])));
  for (const group of groups) {
    const gone = group.filter((id) => dropped.has(id));
    must(gone.length === 0 || gone.length === group.length, `of ${group} went ${gone}`);
  }
  const view = adapter.viewMessages(messages, switchesOf(runtime));
  const turn = view.findLastIndex(({ role, results }) => role === "user" && results.length === 0);
  const { protectCurrentTurn = runtime.prefixMismatch === "error" ? "it depends" : protects } = runtime;
  for (const { call_at, call_id, action } of decisions) {
    if (call_at[0] <= turn) continue;
    if (protectCurrentTurn === "calls") must(action !== "drop_call", `${call_id} of the open loop is gone`);
    if (protectCurrentTurn === "all") must(action === "keep", `${call_id} of the open loop is touched`);
  }
  const recent = messages.length - (asked.options?.preserve_recent_messages ?? 6);
  messages.forEach((message, index) => {
    const isProtected = index === 0 || index >= recent || (protectCurrentTurn === "all" && index > turn);
    const place = map[index];
    if (!isProtected || runtime.stripThinkingAfterEdit === true) return;
    // It may have taken in what was left in front of it.
    if (typeof place === "number" && map.indexOf(place) !== index) return;
    must(typeof place === "number" && after[place] === message, `the protected message ${index} changed`);
  });
}

/** The fields of a message as its JSON shows them, whatever shape that has. */
function fieldsOf(message: object): string[] {
  const shown = JSON.parse(json(message));
  return Object.keys(shown.kwargs ?? shown.data ?? shown);
}

/** What holds in every format. */
function promises(
  { adapter }: FormatCheck,
  { messages, runtime }: History,
  asked: Settings,
  result: CompactionResult<object>,
  must: (holds: boolean, what: string) => void,
): void {
  const view = adapter.viewMessages(messages, switchesOf(runtime));
  const after = adapter.viewMessages(result.messages, switchesOf(runtime));
  // A text that says nothing keeps no message.
  const [said, saidAfter] = [view, after].map((rows) => flat(rows, "texts").filter((text) => text !== ""));
  must(json(said) === json(saidAfter), "the texts differ");
  const isStub = asked.options?.drop_call_mode === "stub";
  const gone = new Set<string>();
  const cut = new Set<string>();
  for (const { action, applied, call_id, call_at } of result.decisions) {
    if (!applied) continue;
    if (action === "drop_call" && !isStub) gone.add(call_id);
    else cut.add(call_id);
    must(view[call_at[0]]?.calls.some(({ id }) => id === call_id) === true, `${call_id} is where call_at says`);
  }
  const calls = flat(view, "calls").filter(({ id }) => !gone.has(id));
  must(json(calls.map(named)) === json(flat(after, "calls").map(named)), "other calls are left");
  const results = flat(view, "results").filter(({ id }) => !gone.has(id));
  const left = flat(after, "results");
  must(results.length === left.length, "other results are left");
  results.forEach((old, index) => {
    const now = left[index];
    if (!cut.has(old.id)) {
      must(now !== undefined && json(named(old)) === json(named(now)), `the result ${old.id} differs`);
      return;
    }
    const lines = now?.text?.split("\n") ?? [];
    must(
      lines.some((line) => line.startsWith("[… ")) && (now?.text?.length ?? 0) < (old.text?.length ?? 0),
      `the result ${old.id} is shortened`,
    );
  });
  const kept = new Set<object>(messages);
  result.message_map.forEach((place, index) => {
    const message = messages[index] as object;
    if (place === null) {
      must(index > 0, "the first message stays");
      return;
    }
    const now = result.messages[place] as object;
    must(Object.getPrototypeOf(now) === Object.getPrototypeOf(message), `message ${index} has another class`);
    if (now === message) return;
    // A message that took in another may have got its content from there.
    if (result.message_map.indexOf(place) !== result.message_map.lastIndexOf(place)) return;
    must(json(now) !== json(message), `message ${index} was copied without need`);
    const [fields, known] = [fieldsOf(now), fieldsOf(message)];
    must(
      fields.every((field) => known.includes(field)),
      `message ${index} has new fields: ${fields}`,
    );
    if (!kept.has(now)) must(result.changed, "a copy though nothing changed");
  });
}

const switchesOf = ({ isError, jsonOutputs, messageId }: Record<string, unknown>) =>
  Object.fromEntries(Object.entries({ isError, jsonOutputs, messageId }).filter(([, value]) => value !== undefined));
