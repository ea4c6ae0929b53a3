/** The functions that each adapter exports, made from its format. */
import { applyWith, compactWith, inspectWith } from "../../compact.js";
import type { Reader } from "../../format.js";
import { takeSettings } from "../../request.js";
import type {
  AnyDecisionModel,
  ApplyOptions,
  CompactionRequest,
  CompactionResult,
  GivenDecision,
  InspectedRequest,
  InspectOptions,
  RuntimeOptions,
} from "../../types.js";
import { type Format, readWith, seeAll } from "./read.js";
import { type Switches, takeSwitches } from "./switches.js";
import { type Viewed, viewed } from "./view.js";

/** Compacts messages of a format. */
export async function compactAs<M>(
  format: Format,
  messages: readonly M[],
  settings: object,
  model: AnyDecisionModel,
  runtime?: object,
): Promise<CompactionResult<M>> {
  const { switches, rest } = takeSwitches<RuntimeOptions>(runtime, format.switches);
  return compactWith(readerOf(format, switches), requestOf(messages, settings), model, {
    shareUnchanged: true,
    ...rest,
  });
}

/** Applies known decisions to messages of a format. */
export function decideAs<M>(
  format: Format,
  messages: readonly M[],
  settings: object,
  decisions: readonly GivenDecision[],
  runtime?: object,
): CompactionResult<M> {
  const { switches, rest } = takeSwitches<ApplyOptions>(runtime, format.switches);
  return applyWith(readerOf(format, switches), requestOf(messages, settings), decisions, {
    shareUnchanged: true,
    ...rest,
  });
}

/** Shows what would be sent for messages of a format. */
export async function inspectAs<M>(
  format: Format,
  messages: readonly M[],
  settings: object,
  options?: object,
): Promise<InspectedRequest[]> {
  const { switches, rest } = takeSwitches<InspectOptions>(options, format.switches);
  return inspectWith(readerOf(format, switches), requestOf(messages, settings), rest);
}

/** Shows what keepline reads of messages of a format. */
export function viewAs(format: Format, messages: readonly unknown[], options?: object): Viewed[] {
  const { switches } = takeSwitches<InspectOptions>(options, format.switches);
  return viewed(seeAll(format, switches, messages));
}

function readerOf(format: Format, switches: Switches): () => Reader {
  return () => (messages, lists) => readWith(format, switches, messages, lists);
}

function requestOf<M>(messages: readonly M[], settings: object): CompactionRequest<M> {
  const taken = takeSettings(settings);
  const { options = {} } = taken;
  const isObject = typeof options === "object" && options !== null && !Array.isArray(options);
  return {
    ...taken,
    // What is no object is the core's to refuse.
    options: isObject ? { ...options, thinking_with_call: "drop" } : options,
    messages,
  } as unknown as CompactionRequest<M>;
}
