import type { ModelMessage } from "ai";
import { isPlain } from "../../copy.js";
import type { Fields } from "../../flatten.js";
import type { AnyDecisionModel, CompactionResult } from "../../types.js";
import type { CompactionSettings } from "../common/switches.js";

/** What a step is prepared with, as far as it is read; `prepareStep` of every version gives more. */
export interface Step {
  messages: ModelMessage[];
  stepNumber: number;
}

/** When and how the messages of a loop are compacted. */
export interface CompactStepOptions<S extends Step, R> extends Omit<CompactionSettings, "goal"> {
  /** A function, `localDecisionModel()`, or both combined. */
  model: AnyDecisionModel;
  /** Whether to compact before this step; sees the messages as they would be sent. Nothing happens by itself. */
  trigger: (step: S) => boolean | PromiseLike<boolean>;
  /** What the agent does next, fixed or by step. */
  goal: string | ((step: S) => string);
  /** What is not data. */
  runtime?: R;
  /** Told of every compaction. */
  onCompacted?: (result: CompactionResult<ModelMessage>, step: S) => void;
  /** Told of a failed compaction; the step then goes on with its messages as they are. Without it the step fails. */
  onError?: (error: unknown, step: S) => void;
}

/** The start of a history, and what it became. */
interface Compacted {
  before: readonly ModelMessage[];
  after: readonly ModelMessage[];
}

/** How messages are compacted. */
type Compact<R> = (
  messages: readonly ModelMessage[],
  settings: CompactionSettings,
  model: AnyDecisionModel,
  runtime?: R,
) => Promise<CompactionResult<ModelMessage>>;

/** What is deeper differs: a value that contains itself ends there. */
const DEEPEST = 100;

/** Whether two values are the same, or plain data that says the same: `streamText` of version 5 makes its messages anew for each step. */
function isSame(one: unknown, other: unknown, depth = 0): boolean {
  if (Object.is(one, other)) return true;
  if (depth > DEEPEST || !isData(one) || !isData(other) || Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key], depth + 1))
  );
}

function isData(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && (Array.isArray(value) || isPlain(value));
}

/** A function for `prepareStep`; see `compactStep`. */
export function stepCompactor<S extends Step, R>(
  { model, trigger, goal, runtime, onCompacted, onError, ...settings }: CompactStepOptions<S, R>,
  compact: Compact<R>,
): (step: S) => Promise<{ messages?: ModelMessage[] }> {
  for (const [name, value] of Object.entries({ model, trigger }))
    if (value === undefined) throw new TypeError(`compactStep: ${name} is missing`);
  // Up to version 6 a step gets the whole history again; then what was decided before still holds for its start. An agent may run
  // several times at once: each run has a first message of its own, except where a version makes even that anew.
  const runs = new WeakMap<ModelMessage, Compacted>();
  let latest: Compacted | undefined;
  const carried = (messages: ModelMessage[]) => {
    const last = (messages[0] && runs.get(messages[0])) ?? latest;
    return last?.before.every((message, index) => isSame(message, messages[index]))
      ? [...last.after, ...messages.slice(last.before.length)]
      : messages;
  };
  return async (given) => {
    const messages = carried(given.messages);
    const step = { ...given, messages };
    const unchanged = messages === given.messages ? {} : { messages };
    if (!(await trigger(step))) return unchanged;
    try {
      const named = { ...settings, goal: typeof goal === "function" ? goal(step) : goal };
      const result = await compact(messages, named, model, runtime);
      const [first] = given.messages;
      latest = { before: given.messages, after: result.messages };
      if (first) runs.set(first, latest);
      onCompacted?.(result, step);
      return { messages: result.messages };
    } catch (error) {
      if (!onError) throw error;
      onError(error, step);
      return unchanged;
    }
  };
}
