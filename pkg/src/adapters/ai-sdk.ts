/** Messages of the AI SDK, versions 5 to 7: what is sent (`ModelMessage`) and what the page holds (`UIMessage`). */
import type { ModelMessage, UIMessage } from "ai";
import { withFields } from "../copy.js";
import { invalidRequest } from "../errors.js";
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
import { type CompactStepOptions, type Step, stepCompactor } from "./ai-sdk/step.js";
import { compactAs, decideAs, inspectAs, viewAs } from "./common/adapter.js";
import { mapAt, messagesAt, textBlock, withPartText } from "./common/parts.js";
import type { Format } from "./common/read.js";
import type {
  AdapterSwitches,
  CompactionSettings,
  GoogleSwitch,
  JsonSwitch,
  Switches,
  ThinkingSwitches,
} from "./common/switches.js";
import {
  asGroup,
  asString,
  type CallBlock,
  joinedText,
  jsonOf,
  kept,
  objectJson,
  type ResultBlock,
  type Seen,
  type SeenBlock,
  type Viewed,
} from "./common/view.js";

export type { CompactionSettings, CompactStepOptions, Step, Viewed };

type AiMessage = ModelMessage | UIMessage;

/** What this adapter can be told beside the request. `jsonOutputs` concerns `ModelMessage` alone. */
export type AiSdkSwitches<M = AiMessage> = AdapterSwitches<M> & JsonSwitch & ThinkingSwitches & GoogleSwitch;

/**
 * `compactContext` for messages of the AI SDK, either `ModelMessage` or `UIMessage`. Compact what is sent, not the history
 * that the page shows.
 *
 * @param settings the request without its messages
 */
export function compactMessages<M extends AiMessage>(
  messages: readonly M[],
  settings: CompactionSettings,
  model: AnyDecisionModel,
  runtime?: RuntimeOptions & AiSdkSwitches<M>,
): Promise<CompactionResult<M>> {
  return compactAs(FORMAT, messages, settings, model, runtime);
}

/**
 * `applyDecisions` for messages of the AI SDK: the snapshot again under other thresholds, without asking. Pass the switches that
 * `compactMessages` had; synchronous once `init` is done.
 */
export function decideMessages<M extends AiMessage>(
  messages: readonly M[],
  settings: CompactionSettings,
  decisions: readonly GivenDecision[],
  runtime?: ApplyOptions & AiSdkSwitches<M>,
): CompactionResult<M> {
  return decideAs(FORMAT, messages, settings, decisions, runtime);
}

/** `inspectRequests` for messages of the AI SDK. */
export function inspectMessages<M extends AiMessage>(
  messages: readonly M[],
  settings: CompactionSettings,
  options?: InspectOptions & AiSdkSwitches<M>,
): Promise<InspectedRequest[]> {
  return inspectAs(FORMAT, messages, settings, options);
}

/**
 * For `prepareStep` of `ToolLoopAgent`, `generateText` and `streamText`: compacts the messages of the loop before a step, whenever your
 * `trigger` says so. It remembers for each run of the loop what was compacted, since versions 5 and 6 give every step the whole
 * history again; an agent may run several times at once.
 *
 * @param options the request without its messages, the decision model and the trigger
 */
export function compactStep<S extends Step = Step>(
  options: CompactStepOptions<S, RuntimeOptions & AiSdkSwitches<ModelMessage>>,
): (step: NoInfer<S>) => Promise<{ messages?: ModelMessage[] }> {
  return stepCompactor(options, compactMessages<ModelMessage>);
}

/** What keepline reads of messages of the AI SDK. */
export function viewMessages<M extends AiMessage>(messages: readonly M[], options?: AiSdkSwitches<M>): Viewed[] {
  return viewAs(FORMAT, messages, options);
}

const FORMAT: Format = {
  switches: [
    "protectCurrentTurn",
    "messageId",
    "jsonOutputs",
    "stripThinkingAfterEdit",
    "prefixMismatch",
    "mergeModelTurns",
  ],
  see: (given, switches, at) => {
    const messages = messagesAt(given, at);
    const facts = new Facts(messages, switches, at);
    if (!Array.isArray(messages[0]?.parts)) return mapAt(messages, at, (message) => seeModelMessage(message, facts));
    return mapAt(messages, at, (message) => {
      if (!Array.isArray(message.parts))
        throw invalidRequest(`${at.path}.parts`, `${at.path}.parts must be a list, as in the first message`, {
          value: message.parts,
        });
      return seeUiMessage(message, [...message.parts], facts);
    });
  },
  checksTurn: "signed",
  merges: (messages, { mergeModelTurns }) => {
    const isUi = messages.some((message) => Array.isArray((message as Fields).parts));
    if (isUi) return false;
    return (mergeModelTurns ?? messages.some((message) => partsOf(message as Fields).some(isGoogles))) && "calls";
  },
  merge: (earlier, later) =>
    withFields(later as Fields, { content: [earlier, later].flatMap((message) => partsOf(message as Fields)) }),
};

/** The parts of a model message; a string is one text. */
function partsOf({ content }: Fields): Fields[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content.map((part) => part ?? {}) : [];
}

/** Where a part carries what its provider said of it, in either kind of message. */
function metadataOf(part: Fields): Fields[] {
  const { providerOptions, providerMetadata, callProviderMetadata, resultProviderMetadata } = part;
  return [providerOptions, providerMetadata, callProviderMetadata, resultProviderMetadata].filter(
    (metadata): metadata is Fields => typeof metadata === "object" && metadata !== null,
  );
}

const GOOGLE = ["google", "googleVertex", "vertex"];
const isGoogles = (part: Fields) => metadataOf(part).some((metadata) => GOOGLE.some((name) => metadata[name]));

/** A field that some provider set. */
function said(part: Fields, field: string, providers?: readonly string[]): unknown {
  for (const metadata of metadataOf(part)) {
    for (const [provider, value] of Object.entries(metadata)) {
      if (providers && !providers.includes(provider)) continue;
      const found = (value as Fields | null | undefined)?.[field];
      if (found !== undefined && found !== null) return found;
    }
  }
  return undefined;
}

const isThinking = ({ type }: Fields) => type === "reasoning" || type === "reasoning-file";
const isTool = ({ type }: Fields) => typeof type === "string" && (type === "dynamic-tool" || type.startsWith("tool-"));

/** Thinking; Anthropic signs it, whoever serves its models. */
function thinkingBlock(part: Fields): SeenBlock {
  const isSigned = ["signature", "redactedData"].some((field) => said(part, field) !== undefined);
  return isSigned ? { kind: "thinking", signed: true } : { kind: "thinking" };
}

/** A block of a step, and what tells whether its calls belong together. */
type StepBlock = SeenBlock & {
  /** Reasoning that is an item of OpenAI. */
  openai?: boolean;
  /** A call that the provider ran; it stays. */
  server?: boolean;
};

const ranByProvider = ({ type, providerExecuted }: Fields): StepBlock => ({
  kind: "other",
  server: providerExecuted === true && type !== "tool-result",
});

/** Tools whose provider reads their output as JSON. */
const PROVIDERS_TOOL = /^((local_?)?shell|apply_?patch|computer.*|tool_?search.*)$/i;

/** What has to be known of the whole history. */
class Facts {
  readonly google: boolean;
  readonly jsonOutputs: boolean;
  /** Calls that something else refers to. */
  private readonly bound = new Set<unknown>();
  /** Approval → the call that it is about; null where there are several. */
  private readonly approvals = new Map<unknown, string | null>();
  private groups = 0;

  constructor(messages: readonly Fields[], { jsonOutputs = false, mergeModelTurns }: Switches, at: { path: string }) {
    this.jsonOutputs = jsonOutputs;
    let google = false;
    mapAt(messages, at, (message) => {
      const parts = Array.isArray(message.parts) ? (message.parts as Fields[]) : partsOf(message);
      for (const part of parts) {
        google ||= isGoogles(part ?? {});
        this.learn(part ?? {});
      }
    });
    this.google = mergeModelTurns ?? google;
  }

  private learn(part: Fields): void {
    const { type, toolCallId, approvalId, output } = part;
    if (type === "tool-approval-request") {
      const known = this.approvals.get(approvalId);
      if (known !== undefined && known !== toolCallId) {
        for (const id of [known, toolCallId]) this.bound.add(id);
        this.approvals.set(approvalId, null);
      } else this.approvals.set(approvalId, asString(toolCallId) ?? null);
    } else if (isTool(part)) {
      const caller = said(part, "caller") as Fields | undefined;
      const isBound =
        part.providerExecuted === true ||
        (caller !== undefined && caller.type !== "direct") ||
        said(part, "parallelToolCall") !== undefined ||
        said(part, "additionalTools") !== undefined ||
        said((output ?? {}) as Fields, "additionalTools") !== undefined;
      if (isBound) this.bound.add(toolCallId);
    }
  }

  isBound(id: unknown): boolean {
    return this.bound.has(id);
  }

  callOf(approval: unknown): string | undefined {
    return this.approvals.get(approval) ?? undefined;
  }

  /** The calls of one step that share a signature or a reasoning item go together or not at all. */
  group(blocks: readonly StepBlock[]): void {
    const calls = blocks.filter((block) => block.kind === "call");
    if (calls.some(({ signed }) => signed)) {
      asGroup(
        calls,
        this.groups++,
        blocks.some(({ server }) => server),
      );
      return;
    }
    let run: SeenBlock[] | undefined;
    const close = () => {
      const led = run?.filter((block) => block.kind === "call") ?? [];
      const others = run?.some(({ kind }) => kind === "text" || kind === "other") === true;
      if (led.length > 0) asGroup(led, this.groups++, others && run?.[0]?.kind === "call");
      run = undefined;
    };
    for (const block of blocks) {
      if (block.kind !== "thinking") {
        if (block.kind !== "aside" && block.kind !== "attachment") run?.push(block);
      } else if (run === undefined || run.length > 0) {
        close();
        if (block.openai) run = [];
      }
    }
    close();
  }
}

function seeModelMessage(message: Fields, facts: Facts): Seen {
  const { role, content } = message;
  if (!Array.isArray(content)) {
    const blocks: SeenBlock[] = typeof content === "string" && content !== "" ? [{ kind: "text", text: content }] : [];
    return { role: String(role), blocks, rebuild: () => message };
  }
  const list = [...content];
  const blocks = list.map((part) => seePart(part ?? {}, role, facts));
  facts.group(blocks);
  return {
    role: String(role),
    blocks,
    rebuild: (edit) => withFields(message, { content: kept(list, (item) => item, edit, shortenedPart) }),
  };
}

function seePart(part: Fields, role: unknown, facts: Facts): StepBlock {
  const { type, toolCallId, toolName } = part;
  const id = asString(toolCallId);
  if (type === "text") return saidBlock(part);
  if (isThinking(part)) return reasoningBlock(part);
  if (type === "tool-call" && part.providerExecuted !== true) return callBlock(part, toolName, facts);
  if (type === "tool-result" && role === "tool")
    return { kind: "result", id, name: asString(toolName), ...readOutput(part, facts) };
  const approved = type === "tool-approval-request" ? id : undefined;
  const of = type === "tool-approval-response" ? facts.callOf(part.approvalId) : approved;
  return of === undefined ? ranByProvider(part) : { kind: "attachment", of };
}

/** A text; an empty one is not sent, except for what a provider wants to have back. */
function saidBlock(part: Fields): SeenBlock {
  const { text, providerOptions, providerMetadata } = part;
  if (providerOptions === undefined && providerMetadata === undefined) return textBlock(part);
  return typeof text === "string" ? { kind: "text", text } : ranByProvider(part);
}

/** Thinking; an item of OpenAI leads the calls behind it. */
function reasoningBlock(part: Fields): StepBlock {
  const block = thinkingBlock(part);
  return said(part, "itemId") === undefined ? block : { ...block, openai: true };
}

function callBlock(part: Fields, name: unknown, facts: Facts): CallBlock {
  const { toolCallId, input } = part;
  return {
    kind: "call",
    id: asString(toolCallId),
    name: asString(name),
    input: objectJson(input),
    bound: facts.isBound(toolCallId),
    ...(said(part, "thoughtSignature", GOOGLE) !== undefined && { signed: true }),
  };
}

function readOutput({ toolName, output }: Fields, { jsonOutputs }: Facts): Pick<ResultBlock, "text" | "success"> {
  const { type, value } = (output ?? {}) as Fields;
  switch (type) {
    case "text":
      return { text: asString(value), success: true };
    case "content":
      return { text: Array.isArray(value) ? joinedText(value, "text") : undefined, success: true };
    case "json": {
      const reads = jsonOutputs && !PROVIDERS_TOOL.test(String(toolName));
      return { text: reads ? jsonOf(value) : undefined, success: true };
    }
    case "error-text":
      return { text: asString(value), success: false };
    default:
      return { text: undefined, success: false };
  }
}

function shortenedPart(part: Fields, text: string): Fields {
  const output = part.output as Fields;
  const { type, value } = output;
  const fields =
    type === "content" ? { value: withPartText(value, text, "providerOptions") } : { type: "text", value: text };
  return withFields(part, { output: withFields(output, fields) });
}

/** A part of a `UIMessage` and where its blocks begin. */
interface UiPart {
  part: Fields;
  type: unknown;
  first: number;
  step: number;
  isCall: boolean;
}

function seeUiMessage(message: Fields, list: readonly Fields[], facts: Facts): Seen {
  const blocks: StepBlock[] = [];
  const parts: UiPart[] = [];
  let step = 0;
  let stepStart = 0;
  for (const value of list) {
    const part = value ?? {};
    if (part.type === "step-start") {
      facts.group(blocks.slice(stepStart));
      stepStart = blocks.length;
      step++;
    }
    const seen = seeUiPart(part, facts);
    parts.push({ part: value, type: part.type, first: blocks.length, step, isCall: seen[0]?.kind === "call" });
    blocks.push(...seen);
  }
  facts.group(blocks.slice(stepStart));
  return {
    role: String(message.role),
    id: asString(message.id),
    blocks,
    rebuild: (edit) => {
      const left = kept(parts, (item) => (parts[item] as UiPart).first, edit);
      const merged = facts.google ? withoutSteps(parts, left) : left;
      const now = merged.map(({ part, first, isCall }) => {
        const output = isCall ? edit.textOf(first + 1) : undefined;
        return output === undefined ? part : withFields(part, { output });
      });
      return withFields(message, { parts: now });
    },
  };
}

/** The blocks of a part: one, or call and result. */
function seeUiPart(part: Fields, facts: Facts): StepBlock[] {
  const { type } = part;
  if (type === "text") return [saidBlock(part)];
  if (isThinking(part)) return [reasoningBlock(part)];
  if (isTool(part) && part.providerExecuted !== true) return seeUiCall(part, facts);
  if (type === "step-start") return [{ kind: "aside", endsStep: true }];
  // It speaks for the user between two steps.
  if (type === "steering-message") return [{ kind: "aside", endsStep: true, keepsMessage: true }];
  if (String(type).startsWith("source-")) return [{ kind: "aside" }];
  if (String(type).startsWith("data-")) return [{ kind: "aside", keepsMessage: true }];
  return [ranByProvider(part)];
}

function seeUiCall(part: Fields, facts: Facts): SeenBlock[] {
  const { type, toolName, state, output, errorText, preliminary } = part;
  const name = type === "dynamic-tool" ? asString(toolName) : String(type).slice("tool-".length);
  const success = state === "output-available";
  const finished = success ? preliminary !== true : state === "output-error" || state === "output-denied";
  const call: CallBlock = { ...callBlock(part, name, facts), finished };
  if (!finished) return [call];
  const text = asString(success ? output : errorText);
  return [call, { kind: "result", id: call.id, name, text, success }];
}

/**
 * Google takes a call only behind a message of the user or behind results: where a step lost all its calls but not its
 * text, it becomes one with the next step that has calls.
 */
function withoutSteps(parts: readonly UiPart[], left: readonly UiPart[]): UiPart[] {
  const callsIn = (list: readonly UiPart[], step: number) => list.some((item) => item.isCall && item.step === step);
  const steps = [...new Set(left.map(({ step }) => step))];
  const isLight = ({ type }: UiPart) => type === "step-start" || String(type).startsWith("source-");
  const speaks = (step: number) => left.some((item) => item.step === step && !isLight(item));
  const joined = new Set<number>();
  for (const step of steps) {
    if (!callsIn(parts, step) || callsIn(left, step) || !speaks(step)) continue;
    const next = steps.find((other) => other > step && callsIn(left, other));
    if (next === undefined || steersBetween(left, step, next)) continue;
    for (let other = step + 1; other <= next; other++) joined.add(other);
  }
  return left.filter(({ type, step }) => !(type === "step-start" && joined.has(step)));
}

function steersBetween(left: readonly UiPart[], from: number, to: number): boolean {
  return left.some(({ type, step }) => type === "steering-message" && step >= from && step <= to);
}
