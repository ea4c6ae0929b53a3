/** The adapters, by the formats of the cases, and what words mean for other messages than AgentScope's. */
import * as aiSdk from "keepline/ai-sdk";
import * as anthropic from "keepline/anthropic";
import * as gemini from "keepline/gemini";
import * as langchain from "keepline/langchain";
import * as openaiChat from "keepline/openai-chat";
import * as openaiResponses from "keepline/openai-responses";
import { type Adapter, validator } from "../formats/format.js";
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

/** Words that are about the form of messages. */
export const FORM_WORDS: Record<string, Check> = {
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
