/** What the host tells an adapter beside the request. */
import { invalidRequest } from "../../errors.js";
import { RUNTIME_FIELDS } from "../../runtime.js";
import type { CompactionOptions, CompactionRequest, InspectOptions, RuntimeOptions } from "../../types.js";
import { looksFailed } from "./view.js";

/** A request without its messages. Thinking that led only to removed calls always goes with them. */
export type CompactionSettings = Omit<CompactionRequest, "messages" | "options"> & {
  options?: Omit<CompactionOptions, "thinking_with_call">;
};

/** What every adapter can be told. */
export interface AdapterSwitches<M> {
  /**
   * What of the open tool loop (everything behind the last message of the user) is protected: everything, or the calls,
   * whose results may then still get shorter. By default `"calls"` where the provider checks the loop.
   */
  protectCurrentTurn?: "all" | "calls" | false;
  /** The host's own id of a message, for `protected_message_ids` and `task_starts`. */
  messageId?: (message: M, index: number) => string | undefined;
}

/** For formats whose results do not say whether they failed. */
export interface ErrorSwitch<R> {
  /** Whether a result is a failure. By default it is one where its text is a JSON object with the single key `error`. */
  isError?: (result: R) => boolean;
}

/** For formats whose results can be JSON. */
export interface JsonSwitch {
  /** Read JSON outputs as text, so that they can be shortened; what is left is text. @default false */
  jsonOutputs?: boolean;
}

/** For formats that carry thinking which a provider binds to everything before it. */
export interface ThinkingSwitches {
  /** Remove all bound thinking behind the first edit. @default false */
  stripThinkingAfterEdit?: boolean;
  /**
   * What the provider does with thinking behind an edited prefix: nothing; refuse the request, so that nothing before such
   * thinking is edited; or drop it, because the host says so in its requests. @default "ignore"
   */
  prefixMismatch?: "ignore" | "error" | "drop_block";
}

/** For formats that Google's models get. */
export interface GoogleSwitch {
  /** Whether text that is left in front of a call moves into the message of that call. By default where signatures tell. */
  mergeModelTurns?: boolean;
}

/** Every switch, as the common part reads it. */
export interface Switches
  extends AdapterSwitches<never>,
    ErrorSwitch<never>,
    JsonSwitch,
    ThinkingSwitches,
    GoogleSwitch {
  /** The provider holds the history. */
  serverState?: boolean;
}

const isBoolean = (value: unknown) => typeof value === "boolean";
const isFunction = (value: unknown) => typeof value === "function";

const RULES: { [K in keyof Required<Switches>]: [(value: unknown) => boolean, string] } = {
  protectCurrentTurn: [
    (value) => value === "all" || value === "calls" || value === false,
    'must be "all", "calls" or false',
  ],
  messageId: [isFunction, "must be a function"],
  isError: [isFunction, "must be a function"],
  jsonOutputs: [isBoolean, "must be true or false"],
  stripThinkingAfterEdit: [isBoolean, "must be true or false"],
  prefixMismatch: [
    (value) => value === "ignore" || value === "error" || value === "drop_block",
    'must be "ignore", "error" or "drop_block"',
  ],
  mergeModelTurns: [isBoolean, "must be true or false"],
  serverState: [isBoolean, "must be true or false"],
};

/** Takes the switches that a format knows out of the rest, which is the runtime's own. */
export function takeSwitches<R extends RuntimeOptions | InspectOptions>(
  runtime: unknown,
  known: readonly (keyof Switches)[],
): { switches: Switches; rest: R } {
  if (runtime === undefined) return { switches: {}, rest: {} as R };
  if (typeof runtime !== "object" || runtime === null)
    throw invalidRequest("runtime", "runtime must be an object", { value: runtime });
  const rest: Record<string, unknown> = { ...runtime };
  const switches: Record<string, unknown> = {};
  for (const name of known) {
    const value = rest[name];
    delete rest[name];
    if (value === undefined) continue;
    const [check, rule] = RULES[name];
    if (!check(value)) throw invalidRequest(`runtime.${name}`, `runtime.${name} ${rule}`, { value });
    switches[name] = value;
  }
  const unknown = Object.keys(rest).find((name) => name !== "model" && !RUNTIME_FIELDS.includes(name));
  if (unknown !== undefined)
    throw invalidRequest(
      `runtime.${unknown}`,
      `runtime has no field "${unknown}" for this format; it has ${[...known, ...RUNTIME_FIELDS].join(", ")}`,
    );
  return { switches: switches as Switches, rest: rest as R };
}

/** Calls back; what the callback throws, or gives in place of what it should, is the host's fault. */
export function ask<T>(
  name: "isError" | "messageId",
  rule: string,
  isRight: (value: unknown) => boolean,
  task: () => T,
): T {
  let value: T;
  try {
    value = task();
  } catch (cause) {
    throw invalidRequest(`runtime.${name}`, `runtime.${name} threw`, { cause });
  }
  if (!isRight(value)) throw invalidRequest(`runtime.${name}`, `runtime.${name} must return ${rule}`, { value });
  return value;
}

const isNow = (value: unknown) => typeof (value as { then?: unknown } | null | undefined)?.then !== "function";

/** Whether the host says that a result is a failure; at once, and not by a promise. */
export function askFailed(isError: NonNullable<Switches["isError"]>, result: object): boolean {
  return Boolean(ask("isError", "true or false, not a promise", isNow, () => isError(result as never)));
}

/** Whether a result failed, in a format that does not say. */
export function failed({ isError }: Switches, result: object, text: string | undefined): boolean {
  return isError ? askFailed(isError, result) : looksFailed(text);
}
