/** What each word of `expect` means. An unknown word is an error: a case must not pass unread. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { applyDecisions, CompactionError, type Stats } from "keepline";
import { violations } from "../support/invariants.js";
import { same } from "../support/same.js";
import { root } from "../support/shared.js";
import { estimate } from "../support/tokens.js";
import { adapterOf, FORM_WORDS } from "./adapters.js";
import type { Expectation } from "./case.js";
import { exitsByItself, peakMemory } from "./child.js";
import {
  askedCalls,
  type Block,
  blocksOf,
  callBlock,
  decisionOf,
  handedOver,
  messageAt,
  nextCallWorks,
  type Observed,
  resultBlock,
  textOf,
} from "./observe.js";

/** Throws, or returns what is wrong, or nothing. */
type Check = (observed: Observed, said: never) => string | undefined | Promise<string | undefined>;

const wrong = (holds: boolean, found: unknown): string | undefined =>
  holds ? undefined : `found ${typeof found === "string" ? found : JSON.stringify(found)}`;
const all = (found: (string | undefined)[]): string | undefined => found.find((text) => text !== undefined);

/** What the cases call our statistics. */
const STATISTICS: Record<string, keyof Stats> = {
  view_stage: "state_stage",
  view_tokens: "state_tokens",
  candidate_chars: "max_saved_chars",
};

/** Features of this product. A case that needs another one is skipped. */
export const FEATURES = new Set([
  "separate thresholds",
  "redaction",
  "stub instead of removal",
  "head and tail preview",
  "thinking goes with its call",
  "source references",
  "windows",
]);

const MARKER = /^\[… \d.*\]$/;
/** The lines of an output that are markers. */
const markersOf = (output: unknown) =>
  textOf(output)
    .split("\n")
    .filter((line) => MARKER.test(line));

function messagesOf({ result }: Observed): readonly unknown[] {
  if (!result) throw new Error("there is no result");
  return result.messages;
}

function statistic({ result }: Observed, name: string): unknown {
  if (name === "removed_chars") return result?.decisions.reduce((sum, { saved_chars }) => sum + saved_chars, 0);
  return result?.stats[STATISTICS[name] ?? (name as keyof Stats)];
}

/** Every text inside a value. */
function texts(value: unknown): string[] {
  const found: string[] = [];
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === "string") found.push(next);
    else if (typeof next === "object" && next !== null) rest.push(...Object.values(next), ...Object.keys(next));
  }
  return found;
}

const count = (values: readonly string[], sign: string) =>
  values.reduce((sum, value) => sum + value.split(sign).length - 1, 0);

/** Numbers inside a value, as they are. */
function numbers(value: unknown): unknown[] {
  if (typeof value === "number" || typeof value === "bigint") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbers) : [];
}

/** Ids whose call or result is without its partner. */
function orphans(messages: readonly unknown[]): Set<unknown> {
  const calls = new Map<unknown, number>();
  for (const block of messages.flatMap(blocksOf)) {
    if (block.type === "tool_call") calls.set(block.id, (calls.get(block.id) ?? 0) + 1);
    if (block.type === "tool_result") calls.set(block.id, (calls.get(block.id) ?? 0) - 1);
  }
  return new Set([...calls].filter(([, balance]) => balance !== 0).map(([id]) => id));
}

/** A message without one field, whose path is like `content[1].output`. */
function without(message: unknown, paths: readonly string[]): unknown {
  const copy = structuredClone(message);
  for (const path of paths) {
    const steps = path.split(/[.[\]]+/).filter((step) => step !== "");
    const last = steps.pop() as string;
    let at: Record<string, unknown> = copy as Record<string, unknown>;
    for (const name of steps) at = at?.[name] as Record<string, unknown>;
    if (at) at[last] = "left out";
  }
  return copy;
}

/** How a program decides what a case says the host must be able to detect. */
const DETECTABLE: [RegExp, (observed: Observed, match: RegExpExecArray) => boolean][] = [
  [
    /^messages? ([\d, and]+) speaks? of calls that are gone$/,
    ({ result, request }, [, list = ""]) =>
      [...list.matchAll(/\d+/g)].every(([index]) => {
        // Text beside or right before or after a removed call.
        const gone = result?.decisions.filter(({ action, applied }) => action === "drop_call" && applied) ?? [];
        const near = gone.flatMap(({ call_at, result_at }) => [call_at[0], result_at[0]]);
        const speaks = blocksOf(request.messages[Number(index)]).some(({ type }) => type === "text");
        return speaks && near.some((place) => Math.abs(place - Number(index)) <= 1);
      }),
  ],
  [
    /^the best possible saving of this input is small$/,
    ({ result }) => (result?.stats.max_saved_chars ?? 1) < 0.5 * (result?.stats.chars_before ?? 0),
  ],
  [
    /^less than (\d+)% saved$/,
    ({ result }, [, percent]) => {
      const { chars_before: before, chars_after: after } = result?.stats ?? {};
      return Number(before) - Number(after) < (Number(percent) / 100) * Number(before);
    },
  ],
  [
    /^nothing (?:was )?(?:kept|prunable|to prune)$/,
    ({ result }) => result?.stats.candidates === 0 || result?.stats.actions.keep === 0,
  ],
];

const calls = (each: (observed: Observed, id: string) => string | undefined): Check => {
  const check = (observed: Observed, ids: string[]) =>
    all(ids.map((id) => each(observed, id)).map((text, index) => text && `${ids[index]}: ${text}`));
  return check as Check;
};

/** The words, in the order of the README beside the cases. */
export const WORDS: Record<string, Check> = {
  asked: (observed, ids: string[]) => wrong(same(askedCalls(observed), ids), askedCalls(observed)),
  asked_includes: (observed, ids: string[]) =>
    wrong(
      ids.every((id) => askedCalls(observed).includes(id)),
      askedCalls(observed),
    ),
  not_candidate: (observed, ids: string[]) =>
    wrong(!ids.some((id) => askedCalls(observed).includes(id)), askedCalls(observed)),
  action: (observed, actions: Record<string, string>) =>
    all(
      Object.entries(actions).map(([id, action]) => {
        const decision = decisionOf(observed, id);
        return wrong(decision?.action === action, `${id}: ${decision?.action}`);
      }),
    ),
  action_any: ({ result }, action: string) => {
    const asked = result?.decisions.filter(({ keep_call }) => keep_call !== undefined) ?? [];
    return wrong(asked.length === 1 && asked[0]?.action === action, asked);
  },
  changed: ({ result }, changed: boolean) => wrong(result?.changed === changed, result?.changed),
  reason: ({ result }, reason: string) => wrong(result?.reason === reason, result?.reason),
  message_count: (observed, length: number) =>
    wrong(messagesOf(observed).length === length, messagesOf(observed).length),
  removed_message_indexes: ({ result }, indexes: number[]) => {
    const removed = result?.message_map.flatMap((place, index) => (place === null ? [index] : []));
    return wrong(same(removed, indexes), removed);
  },
  unchanged_message_indexes: (observed, indexes: number[]) =>
    all(
      indexes.map((index) => {
        const found = messageAt(observed, index);
        return same(found, observed.request.messages[index]) ? undefined : `message ${index} differs`;
      }),
    ),
  roles_unchanged: (observed, said: boolean) =>
    wrong(
      said ===
        observed.request.messages.every(({ role }, index) => {
          const found = messageAt(observed, index) as { role: string } | undefined;
          return found === undefined || found.role === role;
        }),
      "another role",
    ),
  tool_call_ids_at: (observed, at: Record<string, string[]>) =>
    all(
      Object.entries(at).map(([index, ids]) => {
        const found = blocksOf(messageAt(observed, Number(index)))
          .filter(({ type }) => type === "tool_call")
          .map(({ id }) => id);
        return wrong(same(found, ids), found);
      }),
    ),
  block_ids_at: (observed, at: Record<string, string[]>) =>
    all(
      Object.entries(at).map(([index, ids]) => {
        const found = blocksOf(messageAt(observed, Number(index))).flatMap(({ id }) => (id === undefined ? [] : [id]));
        return wrong(same(found, ids), found);
      }),
    ),
  blocks_identical: (observed, at: Record<string, number[]>) =>
    all(
      Object.entries(at).flatMap(([index, blocks]) =>
        blocks.map((block) => {
          const before = blocksOf(observed.request.messages[Number(index)])[block];
          return wrong(
            blocksOf(messageAt(observed, Number(index))).some((found) => same(found, before)),
            `block ${block} differs`,
          );
        }),
      ),
    ),
  no_new_orphans: (observed, said: boolean) => {
    const known = orphans(observed.request.messages);
    const fresh = [...orphans(messagesOf(observed))].filter((id) => !known.has(id));
    return wrong(said === (fresh.length === 0), fresh);
  },
  no_message_with_only: (observed, type: string) =>
    wrong(
      !messagesOf(observed).some((message) => {
        const blocks = blocksOf(message);
        return blocks.length > 0 && blocks.every((block) => block.type === type);
      }),
      `a message with ${type} alone`,
    ),
  no_empty_messages: (observed, said: boolean) =>
    wrong(
      said ===
        !messagesOf(observed).some(
          (message) => Array.isArray((message as { content: unknown }).content) && blocksOf(message).length === 0,
        ),
      "an empty message",
    ),
  no_new_empty_text_blocks: (observed, said: boolean) => {
    const empty = (messages: readonly unknown[]) =>
      messages.flatMap(blocksOf).filter(({ type, text }) => type === "text" && text === "").length;
    return wrong(
      said === empty(messagesOf(observed)) <= (empty(observed.request.messages) as never),
      "a new empty text block",
    );
  },
  reference_intact: (observed, said: boolean) =>
    wrong(said === (violations(observed.request, observed.result as never).length === 0), "a broken reference"),
  output_all_or_none: (observed, said: boolean) =>
    wrong(said === (observed.result === undefined || observed.error === undefined), "both"),
  result_shorter: calls((observed, id) => {
    const [before, after] = [observed.request.messages, messagesOf(observed)].map((list) =>
      textOf(resultBlock(list, id)?.output),
    );
    return wrong(after !== "" && [...(after as string)].length < [...(before as string)].length, "not shorter");
  }),
  result_text_max_chars_any: (observed, most: number) => {
    const found = messagesOf(observed)
      .flatMap(blocksOf)
      .filter(({ type }) => type === "tool_result")
      .map(({ output }) => [...textOf(output)].length);
    return wrong(
      found.every((length) => length <= most),
      found,
    );
  },
  prefix_is_prefix_of_original: calls((observed, id) => {
    const before = textOf(resultBlock(observed.request.messages, id)?.output);
    const lines = textOf(resultBlock(messagesOf(observed), id)?.output).split("\n");
    const prefix = lines
      .slice(
        0,
        lines.findIndex((line) => MARKER.test(line)),
      )
      .join("\n");
    return wrong(prefix !== "" && before.startsWith(prefix), "no prefix");
  }),
  output_block_type_kept: (observed, types: Record<string, string[]>) =>
    all(
      Object.entries(types).map(([id, wanted]) => {
        const output = resultBlock(messagesOf(observed), id)?.output;
        const found = Array.isArray(output) ? output.map(({ type }: Block) => type) : [typeof output];
        return wrong(same(found, wanted), found);
      }),
    ),
  marker_only_in: (observed, ids: string[]) => {
    const marked = messagesOf(observed)
      .flatMap(blocksOf)
      .filter((block) => texts(block).some((text) => text.split("\n").some((line) => MARKER.test(line))))
      .map(({ id }) => id);
    return wrong(
      marked.every((id) => ids.includes(id as string)),
      marked,
    );
  },
  marker_is_single_bracketed_line: (observed, said: unknown) => {
    const ids = Array.isArray(said)
      ? (said as string[])
      : (observed.result?.decisions
          .filter(({ action, applied }) => applied && action === "drop_result")
          .map(({ call_id }) => call_id) ?? []);
    return all(ids.map((id) => wrong(markersOf(resultBlock(messagesOf(observed), id)?.output).length === 1, id)));
  },
  marker_names_call_id: calls((observed, id) => {
    const [marker = ""] = markersOf(resultBlock(messagesOf(observed), id)?.output);
    return wrong(marker.includes(id), marker);
  }),
  inputs_byte_identical: calls((observed, id) =>
    wrong(
      callBlock(messagesOf(observed), id)?.input === callBlock(observed.request.messages, id)?.input,
      "another input",
    ),
  ),
  output_includes: (observed, parts: string[]) => {
    const json = JSON.stringify(messagesOf(observed));
    return all(parts.map((part) => wrong(json.includes(JSON.stringify(part).slice(1, -1)), `no ${part}`)));
  },
  output_excludes: (observed, parts: string[]) => {
    const json = JSON.stringify(messagesOf(observed));
    return all(parts.map((part) => wrong(!json.includes(JSON.stringify(part).slice(1, -1)), part)));
  },
  view_includes: (observed, parts: string[]) => {
    const views = handedOver(observed);
    return all(
      parts.map((part) =>
        wrong(
          views.some((view) => view.includes(part)),
          `no ${part}`,
        ),
      ),
    );
  },
  view_excludes: (observed, parts: string[]) => {
    const views = handedOver(observed);
    return all(parts.map((part) => wrong(!views.some((view) => view.includes(part)), part)));
  },
  well_formed_utf16: (observed, said: boolean) =>
    wrong(said === texts(messagesOf(observed)).every((text) => text.isWellFormed()), "half a pair"),
  utf8_round_trip: (observed, said: boolean) => {
    const json = JSON.stringify(messagesOf(observed));
    return wrong(said === (new TextDecoder().decode(new TextEncoder().encode(json)) === json), "another text");
  },
  view_well_formed: (observed, said: boolean) =>
    wrong(
      said === handedOver(observed).every((view) => view.isWellFormed() && !/\\ud[89a-f]/i.test(view)),
      "half a pair",
    ),
  no_replacement_characters_added: (observed, said: boolean) =>
    wrong(
      said ===
        count(texts(messagesOf(observed)), "\ufffd") <= (count(texts(observed.request.messages), "\ufffd") as never),
      "U+FFFD",
    ),
  numbers_identical: (observed, said: boolean) => {
    const kept = observed.request.messages.filter((_, index) => messageAt(observed, index) !== undefined);
    return wrong(said === same(numbers(kept), numbers(messagesOf(observed))), "other numbers");
  },
  key_order_kept: (observed, said: boolean) => {
    const order = (message: unknown) => [
      Object.keys(message as object),
      ...blocksOf(message).map((block) => `${block.type} ${block.id} ${Object.keys(block)}`),
    ];
    const kept = observed.request.messages.every((message, index) => {
      const found = messageAt(observed, index);
      return found === undefined || order(found).every((keys) => order(message).some((known) => same(known, keys)));
    });
    return wrong(said === kept, "another order");
  },
  plain_objects_only: (observed, said: boolean) => {
    const rest: unknown[] = [observed.result];
    let plain = true;
    while (rest.length > 0) {
      const next = rest.pop();
      if (typeof next !== "object" || next === null) continue;
      plain &&= [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(next));
      rest.push(...Object.values(next));
    }
    return wrong(said === plain, "an object with a class");
  },
  json_round_trip_equal: (observed, said: boolean) =>
    wrong(said === same(JSON.parse(JSON.stringify(observed.result)), observed.result), "another value"),
  message_fields_identical_except: (observed, except: Record<string, string[]>) =>
    all(
      Object.entries(except).map(([index, paths]) => {
        const pair = [observed.request.messages[Number(index)], messageAt(observed, Number(index))].map((message) =>
          without(message, paths),
        );
        return wrong(same(pair[0], pair[1]), `message ${index}`);
      }),
    ),

  rejects: ({ error, result }, said: boolean) =>
    wrong(
      said === (CompactionError.isInstance(error) && typeof error.code === "string" && error instanceof Error),
      error === undefined ? `a result: ${result?.reason}` : String(error),
    ),
  no_snapshot: ({ result, error }, said: boolean) =>
    wrong(said === (result === undefined && !("messages" in (error as object))), "a snapshot"),
  error_kind: ({ error }, kind: string) =>
    wrong((error as CompactionError)?.code === kind, (error as CompactionError)?.code),
  error_names: ({ error }, parts: string[]) => {
    const { message, path } = error as CompactionError;
    return all(parts.map((part) => wrong(`${message} ${path}`.includes(part), message)));
  },
  error_keeps_cause: ({ error }, part: string) => {
    const { cause } = error as Error;
    return wrong(cause instanceof Error && cause.message.includes(part), cause);
  },
  no_error_text: ({ error }, parts: string[]) => {
    const found: string[] = [];
    for (let at: unknown = error; at instanceof Error; at = at.cause) found.push(at.message);
    return all(
      parts.map((part) => wrong(!found.some((text) => text.toLowerCase().includes(part.toLowerCase())), found)),
    );
  },
  input_not_mutated: ({ request, before }, said: boolean) =>
    before === undefined ? "the request cannot be copied" : wrong(said === same(request, before), "another input"),
  next_call_works: async (_, said: boolean) => wrong(said === (await nextCallWorks()), "it does not"),
  no_unhandled_rejection: ({ unhandled }, said: boolean) =>
    wrong(said === (unhandled.length === 0), unhandled.map(String)),
  process_can_exit: async ({ run }, said: boolean) => wrong(said === (await exitsByItself(run)), "it does not"),
  late_answer_ignored: ({ lateChange, result }, said: boolean) =>
    wrong(said === (!lateChange && result === undefined), "a change"),
  signal_passed_to_decision_function: ({ journal }, said: boolean) =>
    wrong(
      said === (journal.sent.length > 0 && journal.sent.every(({ context }) => context.signal instanceof AbortSignal)),
      "no signal",
    ),

  max_concurrent: ({ journal }, most: number) => wrong(journal.maxInFlight <= most, journal.maxInFlight),
  requests_at_least: ({ journal }, least: number) => wrong(journal.sent.length >= least, journal.sent.length),
  requests_started_after_failure: ({ journal }, most: number) =>
    wrong(journal.afterFailure <= most, journal.afterFailure),
  every_candidate_asked_once: ({ journal, result }, said: boolean) => {
    const names = journal.sent
      .filter(({ context }) => context.attempt === 0)
      .flatMap((sent) => sent.names.filter((name) => name.startsWith("call_")));
    return wrong(
      said === (new Set(names).size === names.length && names.length === result?.stats.candidates),
      names.length,
    );
  },
  max_request_tokens: ({ journal }, most: number) => {
    const sizes = journal.sent.map(
      ({ request }) => estimate(request.stateJson) + estimate(JSON.stringify(request.questions)),
    );
    return wrong(
      sizes.every((size) => size <= most),
      Math.max(...sizes),
    );
  },
  view_tokens_at_most: ({ journal, result }, said: number | { tokens: number }) => {
    const most = typeof said === "number" ? said : said.tokens;
    const sizes = journal.sent.map(({ request }) => estimate(request.stateJson));
    return wrong(sizes.every((size) => size <= most) && (result?.stats.state_tokens ?? 0) <= most, Math.max(...sizes));
  },
  // A measure of its own is what view_tokens_at_most takes anyway.
  measure: () => undefined,
  same_view_in_every_batch: ({ journal }, said: boolean) =>
    wrong(
      said ===
        (new Set(journal.sent.map(({ request }) => request.stateJson)).size <= 1 &&
          new Set(journal.sent.map(({ request }) => request.state)).size <= 1),
      "several views",
    ),
  goal_verbatim_in_view: ({ journal, request }, said: boolean) =>
    wrong(said === journal.sent.every(({ request: { state } }) => state.goal === request.goal), "another goal"),
  every_asked_call_identifiable_in_view: ({ journal }, said: boolean) =>
    wrong(
      said ===
        journal.sent.every(({ names, request }) =>
          names.every((name) => new RegExp(`"${name.split("_")[1]}[" ]`).test(request.stateJson)),
        ),
      "a hidden call",
    ),
  view_mentions_original_size: (observed, ids: string[]) =>
    all(
      ids.map((id) => {
        const original = [...textOf(resultBlock((observed.first ?? observed).request.messages, id)?.output)].length;
        return wrong(
          handedOver(observed).some((view) => new RegExp(`\\b${original} chars`).test(view)),
          `no ${original}`,
        );
      }),
    ),

  not_asked_result: (observed, ids: string[]) => {
    const asked = observed.journal.sent.flatMap(({ names }) => names).filter((name) => name.startsWith("result_"));
    const found = asked.map((name) => observed.callOf.get(name.split("_")[1] as string));
    return wrong(!ids.some((id) => found.includes(id)), found);
  },
  marker_count_in_result: (observed, counts: Record<string, number>) =>
    all(
      Object.entries(counts).map(([id, expected]) => {
        const found = markersOf(resultBlock(messagesOf(observed), id)?.output).length;
        return wrong(found === expected, `${id}: ${found}`);
      }),
    ),
  blocks_identical_to_first_output: calls((observed, id) => {
    const lists = [messagesOf(observed.first as Observed), messagesOf(observed)];
    const [before, after] = lists.map((list) => [callBlock(list, id), resultBlock(list, id)]);
    return wrong(same(before, after), "it differs");
  }),
  output_equals_first_output: (observed, said: boolean) =>
    wrong(said === same(messagesOf(observed.first as Observed), messagesOf(observed)), "it differs"),

  decision_present: calls((observed, id) => wrong(decisionOf(observed, id) !== undefined, "none")),
  decision_fields: ({ result }, fields: string[]) =>
    all(
      (result?.decisions ?? []).flatMap((decision) => fields.map((field) => wrong(field in decision, `no ${field}`))),
    ),
  decision_reason_present: calls((observed, id) => wrong(Boolean(decisionOf(observed, id)?.reason), "none")),
  decision_location_reported: calls((observed, id) => {
    const decision = decisionOf(observed, id);
    const at = ([message, block]: readonly [number, number]) => blocksOf(observed.request.messages[message])[block];
    return wrong(
      decision !== undefined && at(decision.call_at)?.id === id && at(decision.result_at)?.id === id,
      decision,
    );
  }),
  decision_call_ids_exact: ({ result, request }, said: boolean) =>
    wrong(
      said ===
        (result?.decisions ?? []).every(
          ({ call_id, call_at: [message, block] }) => blocksOf(request.messages[message])[block]?.id === call_id,
        ),
      "another id",
    ),
  probabilities_reported: calls((observed, id) => {
    const { keep_call, keep_result } = decisionOf(observed, id) ?? {};
    return wrong(typeof keep_call === "number" && typeof keep_result === "number", [keep_call, keep_result]);
  }),
  probabilities_exact: ({ result, run }, said: boolean) =>
    wrong(
      said ===
        Object.entries(run.answers.by_call ?? {}).every(([id, given]) => {
          const decision = result?.decisions.find(({ call_id }) => call_id === id);
          return Object.is(decision?.keep_call, given.call) && Object.is(decision?.keep_result, given.result);
        }),
      result?.decisions,
    ),
  saved_chars_per_decision: calls((observed, id) => {
    const saved = decisionOf(observed, id)?.saved_chars;
    return wrong(Number.isSafeInteger(saved) && (saved as number) > 0, saved);
  }),
  input_plus_decisions_rebuild_output: ({ request, result }, said: boolean) => {
    const again = result && applyDecisions(request, result.decisions);
    const found = result ? violations(request, result) : ["no result"];
    return wrong(said === (found.length === 0 && same(again?.messages, result?.messages)), found);
  },

  stat_present: (observed, names: string[]) =>
    all(names.map((name) => wrong(statistic(observed, name) !== undefined, `no ${name}`))),
  stat_equal: (observed, pairs: Record<string, string>) =>
    all(
      Object.entries(pairs).map(([one, other]) =>
        wrong(statistic(observed, one) === statistic(observed, other), [
          statistic(observed, one),
          statistic(observed, other),
        ]),
      ),
    ),
  stat_value: (observed, values: Record<string, unknown>) =>
    all(
      Object.entries(values).map(([name, value]) =>
        wrong(same(statistic(observed, name), value), statistic(observed, name)),
      ),
    ),
  stat_equal_value: (observed, values: Record<string, unknown>) =>
    all(
      Object.entries(values).map(([name, value]) =>
        wrong(same(statistic(observed, name), value), statistic(observed, name)),
      ),
    ),
  stat_at_least: (observed, values: Record<string, number>) =>
    all(
      Object.entries(values).map(([name, least]) =>
        wrong(Number(statistic(observed, name)) >= least, statistic(observed, name)),
      ),
    ),
  stats_are_safe_integers: ({ result }, said: boolean) => {
    const { usage: _, elapsed_ms: __, ...counts } = result?.stats ?? ({} as Stats);
    return wrong(said === numbers(counts).every(Number.isSafeInteger), counts);
  },
  host_can_detect: (observed, words: string) => {
    for (const [pattern, detect] of DETECTABLE) {
      const match = pattern.exec(words);
      if (match) return wrong(detect(observed, match), "no");
    }
    throw new Error(`unknown: host_can_detect ${words}`);
  },
  finishes_within_ms: ({ milliseconds }, most: number) => wrong(milliseconds <= most, `${milliseconds.toFixed(0)} ms`),
  peak_memory_over_input_mb_at_most: async ({ run }, most: number) => {
    const peak = await peakMemory(run);
    return wrong(peak <= most, `${peak.toFixed(0)} MB`);
  },

  no_prototype_pollution: ({ result }, said: boolean) => {
    const fresh = Object.keys(Object.getOwnPropertyDescriptors(Object.prototype)).filter(
      (name) => !KNOWN_ON_OBJECT.has(name),
    );
    const plain = (result?.messages ?? []).every((message) => Object.getPrototypeOf(message) === Object.prototype);
    return wrong(said === (fresh.length === 0 && plain), fresh);
  },
  question_names_match: ({ journal }, pattern: string) => {
    const names = journal.sent.flatMap((sent) => sent.names);
    return wrong(names.length > 0 && names.every((name) => new RegExp(pattern).test(name)), names);
  },
  input_kept_verbatim_if_kept: ({ request, result }, said: boolean) =>
    wrong(
      said ===
        (result?.decisions ?? []).every(({ call_id, action }) => {
          const after = callBlock(result?.messages ?? [], call_id);
          return action === "drop_call" || after?.input === callBlock(request.messages, call_id)?.input;
        }),
      "another input",
    ),
  reported_size_unit_documented: (_, said: boolean) => {
    const types = readFileSync(join(root, "pkg", "src", "types.ts"), "utf8");
    const documented =
      /Code points[^\n]*\n\s*saved_chars:/.test(types) && /Code points[^\n]*\n\s*chars_before:/.test(types);
    return wrong(said === documented, "no unit");
  },
};

const KNOWN_ON_OBJECT = new Set(Object.getOwnPropertyNames(Object.prototype));

/** What is wrong with one entry of `expect`. */
export async function unmet(observed: Observed, entry: Expectation): Promise<string[]> {
  const found: string[] = [];
  for (const [word, said] of Object.entries(entry)) {
    if (word === "note") continue;
    if (word === "needs_feature") {
      if (!FEATURES.has(String(said))) return [];
      continue;
    }
    if (word === "one_of") {
      const tried = await Promise.all((said as Expectation[]).map((other) => unmet(observed, other)));
      if (!tried.some((other) => other.length === 0)) found.push(`one_of: ${tried.flat().join("; or ")}`);
      continue;
    }
    const words = adapterOf(observed.run.format) && Object.hasOwn(FORM_WORDS, word) ? FORM_WORDS : WORDS;
    const check = Object.hasOwn(words, word) ? words[word] : undefined;
    if (!check) throw new Error(`unknown word: ${word}`);
    const text = await holds(check, observed, said);
    if (text !== undefined) found.push(`${word} ${JSON.stringify(said)}: ${text}`);
  }
  return found;
}

async function holds(check: Check, observed: Observed, said: unknown): Promise<string | undefined> {
  try {
    return await check(observed, said as never);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("unknown")) throw error;
    return `cannot be checked: ${error instanceof Error ? error.message : String(error)}`;
  }
}
