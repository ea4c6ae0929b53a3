/** The adapters, by the formats of the cases, and what words mean for other messages than AgentScope's. */
import * as aiSdk from "keepline/ai-sdk";
import * as anthropic from "keepline/anthropic";
import * as gemini from "keepline/gemini";
import * as langchain from "keepline/langchain";
import * as openaiChat from "keepline/openai-chat";
import * as openaiResponses from "keepline/openai-responses";
import { type Adapter, validator } from "../formats/format.js";
import { same } from "../support/same.js";
import { messageAt, type Observed } from "./observe.js";

const ADAPTERS: Readonly<Record<string, unknown>> = {
  "ai-sdk-model": aiSdk,
  "ai-sdk-ui": aiSdk,
  anthropic,
  gemini,
  langchain,
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
};

/** The formats that adapters read. */
export const ADAPTED = Object.keys(ADAPTERS);

/** The adapter of a format; nothing for the canonical one. */
export function adapterOf(format: string): Adapter | undefined {
  return ADAPTERS[format] as Adapter | undefined;
}

type Check = (observed: Observed, said: never) => string | undefined | Promise<string | undefined>;

function messagesOf({ result }: Observed): readonly object[] {
  if (!result) throw new Error("there is no result");
  return result.messages;
}

const view = ({ run }: Observed, messages: readonly object[]) =>
  (adapterOf(run.format) as Adapter).viewMessages(messages);

/** Ids whose call or result is without its partner. */
function orphans(observed: Observed, messages: readonly object[]): string[] {
  const balance = new Map<string, number>();
  for (const { calls, results } of view(observed, messages)) {
    for (const { id } of calls) balance.set(id, (balance.get(id) ?? 0) + 1);
    for (const { id } of results) balance.set(id, (balance.get(id) ?? 0) - 1);
  }
  return [...balance].filter(([, count]) => count !== 0).map(([id]) => id);
}

/** What the validator of a format says of the result and not of the input. */
async function faults(observed: Observed, codes = /./): Promise<string | undefined> {
  const validate = await validator(observed.run.format);
  const before = observed.request.messages;
  const known = new Set((await validate(before, { before })).map((report) => report.replace(/ @.*/, "")));
  const fresh = (await validate(messagesOf(observed), { before })).filter(
    (report) => !known.has(report.replace(/ @.*/, "")),
  );
  return fresh.find((report) => codes.test(report));
}

const contentOf = (message: object) =>
  ["content", "parts"].map((field) => (message as Record<string, unknown>)[field]).find((value) => value !== undefined);

const says = (observed: Observed, text: string) => JSON.stringify(messagesOf(observed)).includes(JSON.stringify(text));

const resultText = (observed: Observed, messages: readonly object[], id: string) =>
  view(observed, messages)
    .flatMap(({ results }) => results)
    .find((result) => result.id === id)?.text ?? undefined;

const MARKER = /^\[… \d.*\]$/;
const markersOf = (text: string | undefined) => (text ?? "").split("\n").filter((line) => MARKER.test(line));

/** A check of each call, by the texts of its result before and after. */
const results = (holds: (before: string, after: string, id: string) => boolean): Check => {
  const check = (observed: Observed, said: unknown) => {
    const shortened =
      observed.result?.decisions.filter(({ action, applied }) => applied && action === "drop_result") ?? [];
    const ids = Array.isArray(said) ? (said as string[]) : shortened.map(({ call_id }) => call_id);
    return ids.find((id) => {
      const [before = "", after = ""] = [observed.request.messages, messagesOf(observed)].map((messages) =>
        resultText(observed, messages, id),
      );
      return !holds(before, after, id);
    });
  };
  return check as Check;
};

/** The object that carries an output for a call: what names the call and has one of these fields. */
function carrier(value: unknown, id: string): Record<string, unknown> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  const names = ["tool_call_id", "call_id", "tool_use_id", "toolCallId", "id"].some((name) => fields[name] === id);
  if (
    names &&
    ["content", "output", "response"].some((name) => fields[name] !== undefined) &&
    !("tool_calls" in fields)
  )
    return fields;
  for (const inner of Object.values(fields)) {
    const found = carrier(inner, id);
    if (found) return found;
  }
  return undefined;
}

function outputTypes(messages: readonly object[], id: string): string[] {
  const { output, content, response } = carrier(messages, id) ?? {};
  const found = output ?? content ?? response;
  if (Array.isArray(found)) return found.map(({ type }) => type);
  return [(found as { type?: string } | undefined)?.type ?? typeof found];
}

const THINKING = ["thinking", "redacted_thinking", "reasoning"];

function latestThinking(messages: readonly object[]): string {
  const latest = messages.findLast(({ role, type }: { role?: string; type?: string }) =>
    ["assistant", "model", "ai"].includes(role ?? type ?? ""),
  );
  const content = latest && contentOf(latest);
  return JSON.stringify(
    Array.isArray(content) ? content.filter(({ type, thought }) => THINKING.includes(type) || thought) : [],
  );
}

/** Words that are about the form of messages. */
export const FORM_WORDS: Record<string, Check> = {
  result_shorter: results((before, after) => after !== "" && [...after].length < [...before].length),
  prefix_is_prefix_of_original: results((before, after) => {
    const lines = after.split("\n");
    const prefix = lines
      .slice(
        0,
        lines.findIndex((line) => MARKER.test(line)),
      )
      .join("\n");
    return prefix !== "" && before.startsWith(prefix);
  }),
  marker_is_single_bracketed_line: results((_before, after) => markersOf(after).length === 1),
  marker_names_call_id: results((_before, after, id) => markersOf(after)[0]?.includes(id) === true),
  marker_only_in: (observed, ids: string[]) =>
    view(observed, messagesOf(observed))
      .flatMap(({ results }) => results)
      .find(({ id, text }) => markersOf(text ?? "").length > 0 && !ids.includes(id))?.id,
  result_text_max_chars_any: (observed, most: number) =>
    view(observed, messagesOf(observed))
      .flatMap(({ results }) => results)
      .find(({ text }) => [...(text ?? "")].length > most)?.id,
  output_block_type_kept: (observed, types: Record<string, string[]>) =>
    Object.entries(types)
      .map(([id, wanted]) => [outputTypes(messagesOf(observed), id).join(), wanted.join()])
      .find(([found, wanted]) => found !== wanted)?.[0],
  inputs_byte_identical: (observed, ids: string[]) => {
    const inputs = (messages: readonly object[]) =>
      view(observed, messages)
        .flatMap(({ calls }) => calls)
        .filter(({ id }) => ids.includes(id))
        .map(({ id, input_json }) => `${id} ${input_json}`)
        .join("\n");
    const found = inputs(messagesOf(observed));
    return found === inputs(observed.request.messages) ? undefined : found;
  },
  block_ids_at: (observed, at: Record<string, string[]>) =>
    Object.entries(at)
      .map(([index, ids]) => {
        const content = contentOf((messageAt(observed, Number(index)) ?? {}) as object);
        const blocks = (Array.isArray(content) ? content : []) as Record<string, string>[];
        const found = blocks.flatMap(({ id, toolCallId, tool_use_id }) => id ?? toolCallId ?? tool_use_id ?? []);
        return [found.join(), ids.join()];
      })
      .find(([found, ids]) => found !== ids)?.[0],
  blocks_identical: (observed, at: Record<string, number[]>) =>
    Object.entries(at)
      .flatMap(([index, blocks]) => {
        const [before, after] = [observed.request.messages[Number(index)], messageAt(observed, Number(index))].map(
          (message) => contentOf((message ?? {}) as object) as unknown[],
        );
        return blocks.filter((block) => !after?.some((found) => same(found, before?.[block])));
      })
      .map((block) => `block ${block} differs`)[0],
  no_new_empty_text_blocks: (observed, said: boolean) => {
    const empty = (messages: readonly object[]) =>
      view(observed, messages).flatMap(({ texts }) => texts.filter((text) => text.trim() === "")).length;
    const holds = empty(messagesOf(observed)) <= empty(observed.request.messages);
    return said === holds ? undefined : "a new empty text block";
  },
  latest_assistant_thinking_intact: (observed, said: boolean) => {
    const found = latestThinking(messagesOf(observed));
    return said === (found === latestThinking(observed.request.messages)) ? undefined : found;
  },
  provider_valid: async (observed, name: string) => {
    const { format } = observed.run;
    return format.startsWith(name) ? faults(observed) : `the case is in ${format}`;
  },
  tool_call_ids_at: (observed, at: Record<string, string[]>) => {
    const found = Object.entries(at).map(([index, ids]) => {
      const message = messageAt(observed, Number(index)) as object | undefined;
      const left = message ? view(observed, [message]).flatMap(({ calls }) => calls.map(({ id }) => id)) : [];
      return left.join() === ids.join() ? undefined : `found ${left}`;
    });
    return found.find((text) => text !== undefined);
  },
  no_new_orphans: (observed, said: boolean) => {
    const known = orphans(observed, observed.request.messages);
    const fresh = orphans(observed, messagesOf(observed)).filter((id) => !known.includes(id));
    return said === (fresh.length === 0) ? undefined : `found ${fresh}`;
  },
  no_message_with_only: (observed, types: string[]) => {
    const isOnly = (content: unknown) =>
      Array.isArray(content) && content.length > 0 && content.every(({ type }) => types.includes(type));
    return messagesOf(observed).some((message) => isOnly(contentOf(message)))
      ? `a message with ${types} alone`
      : undefined;
  },
  no_empty_messages: (observed, said: boolean) => {
    const isEmpty = (message: object) => (contentOf(message) as { length?: number } | undefined)?.length === 0;
    return said === !messagesOf(observed).some(isEmpty) ? undefined : "an empty message";
  },
  no_dangling_reasoning: async (observed, said: boolean) => {
    const found = await faults(observed, /^OR7/);
    return said === (found === undefined) ? undefined : found;
  },
  call_response_counts_equal: async (observed, said: boolean) => {
    const found = await faults(observed, /^GE4/);
    return said === (found === undefined) ? undefined : found;
  },
  output_all_or_none: (observed, ids: string[]) => {
    const there = ids.filter((id) => says(observed, id));
    return there.length === 0 || there.length === ids.length ? undefined : `found ${there} alone`;
  },
  reference_intact: (observed, { from, to }: { from: string; to: string }) =>
    says(observed, from) && !says(observed, to) ? `${from} refers to ${to}, which is gone` : undefined,
};
