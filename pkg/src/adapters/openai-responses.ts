/** Input items of OpenAI Responses. */
import type { ResponseInputItem } from "openai/resources/responses/responses";
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
import { compactAs, decideAs, inspectAs, viewAs } from "./common/adapter.js";
import { mapAt, messagesAt, partTexts, withPartText } from "./common/parts.js";
import type { Format } from "./common/read.js";
import {
  type AdapterSwitches,
  type CompactionSettings,
  type ErrorSwitch,
  failed,
  type Switches,
} from "./common/switches.js";
import {
  asGroup,
  asString,
  type CallBlock,
  joinedText,
  type Seen,
  type SeenBlock,
  type Viewed,
} from "./common/view.js";

export type { CompactionSettings, Viewed };

/** What this adapter can be told beside the request. */
export interface ResponsesSwitches<M = ResponseInputItem>
  extends AdapterSwitches<M>,
    ErrorSwitch<ResponseInputItem.FunctionCallOutput> {
  /** Requests name a previous response or a conversation: the provider holds the history, and nothing is compacted. */
  serverState?: boolean;
}

/**
 * `compactContext` for input items of OpenAI Responses; each item counts as a message. A history that the provider holds is
 * refused: items that are left out here would still count there.
 *
 * @param settings the request without its messages
 */
export function compactMessages<M extends ResponseInputItem>(
  messages: readonly M[],
  settings: CompactionSettings,
  model: AnyDecisionModel,
  runtime?: RuntimeOptions & ResponsesSwitches<M>,
): Promise<CompactionResult<M>> {
  return compactAs(FORMAT, messages, settings, model, runtime);
}

/**
 * `applyDecisions` for input items of Responses: the snapshot again under other thresholds, without asking. Pass the switches that
 * `compactMessages` had; synchronous once `init` is done.
 */
export function decideMessages<M extends ResponseInputItem>(
  messages: readonly M[],
  settings: CompactionSettings,
  decisions: readonly GivenDecision[],
  runtime?: ApplyOptions & ResponsesSwitches<M>,
): CompactionResult<M> {
  return decideAs(FORMAT, messages, settings, decisions, runtime);
}

/** `inspectRequests` for input items of OpenAI Responses. */
export function inspectMessages<M extends ResponseInputItem>(
  messages: readonly M[],
  settings: CompactionSettings,
  options?: InspectOptions & ResponsesSwitches<M>,
): Promise<InspectedRequest[]> {
  return inspectAs(FORMAT, messages, settings, options);
}

/** What keepline reads of input items of OpenAI Responses. */
export function viewMessages<M extends ResponseInputItem>(
  messages: readonly M[],
  options?: ResponsesSwitches<M>,
): Viewed[] {
  return viewAs(FORMAT, messages, options);
}

const FORMAT: Format = {
  switches: ["protectCurrentTurn", "messageId", "isError", "serverState"],
  see: (messages, switches, at) => {
    if (switches.serverState)
      throw invalidRequest(
        "runtime.serverState",
        "the provider holds this history, so that leaving items out here has no effect there; " +
          "send the whole history without previous_response_id or conversation",
      );
    const items = messagesAt(messages, at);
    const seen = mapAt(items, at, (item) => {
      if (typeOf(item) === "item_reference")
        throw invalidRequest(
          at.path,
          `${at.path} refers to an item that the provider holds; send the items themselves to have them compacted`,
        );
      return seeItem(item, switches);
    });
    tieRuns(items, seen);
    return seen;
  },
  checksTurn: false,
};

function typeOf({ type, role, id }: Fields): unknown {
  return type ?? (role !== undefined ? "message" : id !== undefined ? "item_reference" : undefined);
}

function seeItem(item: Fields, switches: Switches): Seen {
  const type = typeOf(item);
  const isOutput = String(type).endsWith("_output");
  return {
    role: type === "message" ? String(item.role) : isOutput ? "tool" : "assistant",
    id: asString(item.id),
    blocks: blocksOf(item, type, switches),
    rebuild: ({ textOf }) => withFields(item, { output: shortened(item.output, textOf(0) as string) }),
  };
}

function blocksOf(item: Fields, type: unknown, switches: Switches): SeenBlock[] {
  const { call_id: callId, name, arguments: input, output, status, caller } = item;
  switch (type) {
    case "message":
      return partTexts(item.content, (part) => part.type === "input_text" || part.type === "output_text");
    case "function_call": {
      const isOpen = status !== undefined && status !== null && status !== "completed";
      return [
        {
          kind: "call",
          id: asString(callId),
          name: asString(name),
          input: asString(input),
          bound: isOthers(caller),
          ...(isOpen && { finished: false }),
        },
      ];
    }
    case "custom_tool_call":
      // Its input is free text, even where it looks like JSON.
      return [{ kind: "call", id: asString(callId), name: asString(name), input: asString(item.input), bound: true }];
    case "custom_tool_call_output":
    case "function_call_output": {
      const text = textOf(output);
      const success = (status ?? "completed") === "completed" && !failed(switches, item, text);
      return [{ kind: "result", id: asString(callId), name: asString(name), text, success }];
    }
    default:
      return [{ kind: "other" }];
  }
}

/** Whether a program of the provider made a call. */
function isOthers(caller: unknown): boolean {
  const type = (caller as Fields | null | undefined)?.type;
  return type !== undefined && type !== "direct";
}

function textOf(output: unknown): string | undefined {
  return Array.isArray(output) ? joinedText(output, "input_text") : asString(output);
}

function shortened(output: unknown, text: string): unknown {
  return withPartText(output, text, "prompt_cache_breakpoint");
}

/** A run of items: the reasoning that led to it, the items right behind that, and stored ones behind the first output. */
interface Run {
  leads: number[];
  items: number[];
  followers: number[];
  answered: boolean;
}

/** What comes back to the model, and is no word of the user. */
const isAnswer = (type: unknown) => /_(output|response)$/.test(String(type));

/**
 * Reasoning belongs to the run of items behind it: the calls of a run go together or not at all, and the reasoning with
 * them where nothing else is in the run. An item of a type to come may belong to it.
 */
function tieRuns(items: readonly Fields[], seen: readonly Seen[]): void {
  const begun = (): Run => ({ leads: [], items: [], followers: [], answered: false });
  let run = begun();
  const close = () => {
    if (run.leads.length > 0 && run.items.length > 0) tieRun(run, seen);
    run = begun();
  };
  items.forEach((item, index) => {
    const type = typeOf(item);
    if (type === "reasoning") {
      if (run.items.length > 0) close();
      run.leads.push(index);
    } else if (isAnswer(type)) {
      run.answered = run.items.length > 0;
    } else if (type === "message" && (item.role !== "assistant" || run.answered)) {
      close();
    } else if (!run.answered) {
      run.items.push(index);
    } else if (asString(item.id) !== undefined) {
      // Some loops write each output right behind its call. The provider knows of what it stored which reasoning led to it.
      run.followers.push(index);
    }
  });
  close();
}

function tieRun({ leads, items, followers }: Run, seen: readonly Seen[]): void {
  const firstBlock = (index: number) => (seen[index] as Seen).blocks[0];
  const blocks = items.map(firstBlock);
  const calls = blocks.filter((block): block is CallBlock => block?.kind === "call");
  const isWhole = calls.length === items.length;
  const group = items[0] as number;
  if (calls.length > 0) asGroup(calls, group, !isWhole && blocks[0]?.kind === "call");
  const [{ id } = { id: undefined }] = calls;
  if (!isWhole || id === undefined) return;
  for (const lead of leads) (seen[lead] as Seen).blocks = [{ kind: "attachment", of: id }];
  for (const block of followers.map(firstBlock)) {
    const follows = block?.kind === "call";
    for (const call of calls) Object.assign(call, { group }, !follows && { groupStays: true });
    if (follows) Object.assign(block, { group, follows });
  }
}
