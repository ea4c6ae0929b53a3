/** Contents of Google's Gemini. */
import type { Content } from "@google/genai";
import { withFields } from "../copy.js";
import type { Fields } from "../flatten.js";
import type {
  AnyDecisionModel,
  ApplyOptions,
  CompactionResult,
  GivenDecision,
  InspectedRequest,
  InspectOptions,
  RuntimeOptions,
} from "../types.js";
import { compactAs, decideAs, inspectAs, viewAs } from "./common/adapter.js";
import { mapAt, messagesAt, textBlock } from "./common/parts.js";
import type { Format } from "./common/read.js";
import {
  type AdapterSwitches,
  askFailed,
  type CompactionSettings,
  type ErrorSwitch,
  type GoogleSwitch,
  type JsonSwitch,
  type Switches,
} from "./common/switches.js";
import {
  asGroup,
  asString,
  type CallBlock,
  kept,
  objectJson,
  type ResultBlock,
  type Seen,
  type SeenBlock,
  type Viewed,
} from "./common/view.js";

export type { CompactionSettings, Viewed };

/** What this adapter can be told beside the request. */
export type GeminiSwitches<M = Content> = AdapterSwitches<M> &
  ErrorSwitch<NonNullable<NonNullable<Content["parts"]>[number]["functionResponse"]>> &
  JsonSwitch &
  GoogleSwitch;

/**
 * `compactContext` for contents of Gemini. A result failed where its response has a key `error`; for hosts that write
 * failures otherwise there is `isError`.
 *
 * @param settings the request without its messages
 */
export function compactMessages<M extends Content>(
  messages: readonly M[],
  settings: CompactionSettings,
  model: AnyDecisionModel,
  runtime?: RuntimeOptions & GeminiSwitches<M>,
): Promise<CompactionResult<M>> {
  return compactAs(FORMAT, messages, settings, model, runtime);
}

/**
 * `applyDecisions` for contents of Gemini: the snapshot again under other thresholds, without asking. Pass the switches that
 * `compactMessages` had; synchronous once `init` is done.
 */
export function decideMessages<M extends Content>(
  messages: readonly M[],
  settings: CompactionSettings,
  decisions: readonly GivenDecision[],
  runtime?: ApplyOptions & GeminiSwitches<M>,
): CompactionResult<M> {
  return decideAs(FORMAT, messages, settings, decisions, runtime);
}

/** `inspectRequests` for contents of Gemini. */
export function inspectMessages<M extends Content>(
  messages: readonly M[],
  settings: CompactionSettings,
  options?: InspectOptions & GeminiSwitches<M>,
): Promise<InspectedRequest[]> {
  return inspectAs(FORMAT, messages, settings, options);
}

/** What keepline reads of contents of Gemini. */
export function viewMessages<M extends Content>(messages: readonly M[], options?: GeminiSwitches<M>): Viewed[] {
  return viewAs(FORMAT, messages, options);
}

const FORMAT: Format = {
  switches: ["protectCurrentTurn", "messageId", "isError", "jsonOutputs", "mergeModelTurns"],
  see: (messages, switches, at) => {
    const seen = mapAt(messagesAt(messages, at), at, (content, index) => seeContent(content, index, switches));
    seen.forEach((message, index) => {
      pairByName(message, seen[index + 1], index);
    });
    return seen;
  },
  checksTurn: true,
  merges: (_contents, { mergeModelTurns = true }) => mergeModelTurns && "calls",
  merge: (earlier, later) =>
    withFields(later as Fields, { parts: [earlier, later].flatMap((content) => partsOf(content as Fields)) }),
};

const partsOf = ({ parts }: Fields): Fields[] => (Array.isArray(parts) ? [...parts] : []);

function seeContent(content: Fields, index: number, switches: Switches): Seen {
  const parts = partsOf(content);
  const blocks = parts.map((part) => seePart(part ?? {}, switches));
  const calls = blocks.filter((block): block is CallBlock => block.kind === "call");
  // The signature of parallel calls is on the first of them.
  if (calls.some(({ signed }) => signed)) asGroup(calls, index);
  return {
    role: content.role === "model" ? "assistant" : "user",
    blocks,
    rebuild: (edit) => withFields(content, { parts: kept(parts, (item) => item, edit, shortened) }),
  };
}

function seePart(part: Fields, switches: Switches): SeenBlock {
  const { text, thought, thoughtSignature, functionCall, functionResponse } = part;
  if (functionCall) {
    const { id, name, args, willContinue } = functionCall as Fields;
    return {
      kind: "call",
      id: asString(id) || undefined,
      name: asString(name),
      input: args === undefined ? "{}" : objectJson(args),
      ...(willContinue === true && { finished: false }),
      ...(thoughtSignature !== undefined && { signed: true }),
    };
  }
  if (functionResponse) return seeResponse(functionResponse as Fields, switches);
  if (thought === true) return { kind: "thinking" };
  return thoughtSignature === undefined
    ? textBlock(part)
    : typeof text === "string"
      ? { kind: "text", text }
      : { kind: "other" };
}

function seeResponse(result: Fields, { isError, jsonOutputs }: Switches): ResultBlock {
  const { id, name, response, willContinue } = result;
  const hasError = typeof response === "object" && response !== null && (response as Fields).error !== undefined;
  const failed = hasError || (isError !== undefined && askFailed(isError, result));
  const key = textKey(result);
  const text = key === undefined ? undefined : ((response as Fields)[key] as string);
  const isJson = jsonOutputs === true && !failed && text === undefined && !hasParts(result);
  return {
    kind: "result",
    id: asString(id) || undefined,
    name: asString(name),
    text: isJson ? jsonText(response) : text,
    success: !failed && willContinue !== true,
  };
}

const hasParts = ({ parts }: Fields) => Array.isArray(parts) && parts.length > 0;

/** The only key of a response beside the name of its function, where that holds a text and nothing else comes with it. */
function textKey(result: Fields): string | undefined {
  const { name, response } = result;
  if (hasParts(result) || typeof response !== "object" || response === null) return undefined;
  const fields = response as Fields;
  const isSaid = (key: string) => fields[key] !== undefined && !(key === "name" && fields.name === name);
  const [key, ...others] = Object.keys(fields).filter(isSaid);
  const isText = key === "output" || key === "result" || key === "content";
  return isText && others.length === 0 && typeof fields[key] === "string" ? key : undefined;
}

/** A response as text; one that points at its parts is none. */
function jsonText(response: unknown): string | undefined {
  const text = objectJson(response);
  return text?.includes('"$ref"') ? undefined : text;
}

function shortened(part: Fields, text: string): Fields {
  const result = part.functionResponse as Fields;
  const { name, response } = result;
  const fields = response as Fields;
  const key = textKey(result);
  const named = fields.name === name ? { name } : {};
  const changed = key === undefined ? { ...named, output: text } : withFields(fields, { [key]: text });
  return withFields(part, { functionResponse: withFields(result, { response: changed }) });
}

/**
 * Calls and responses without ids belong together by their name. Where a name comes twice in a step, which is whose cannot
 * be known, and they stay.
 */
function pairByName({ blocks }: Seen, next: Seen | undefined, index: number): void {
  const answers = next?.blocks ?? [];
  blocks.forEach((block, position) => {
    if (block.kind !== "call") return;
    const { id, name } = block;
    if (id !== undefined && answers.some((answer) => answer.kind === "result" && answer.id === id)) return;
    const calls = blocks.filter((other) => other.kind === "call" && other.name === name);
    const results = answers.filter((answer): answer is ResultBlock => answer.kind === "result" && answer.name === name);
    const [result] = results;
    const isOne = calls.length === 1 && results.length === 1 && (id === undefined || result?.id === undefined);
    if (isOne && result) {
      block.id = id ?? result.id ?? `#${index}.${position}`;
      result.id = block.id;
      // The place changes with every call that goes before it, and a marker must be known again.
      if (id === undefined) result.label = block.label = name;
    } else if (id === undefined && block.finished === undefined) {
      // Nobody can say which result is its own.
      block.finished = results.length > 0;
    }
  });
}
