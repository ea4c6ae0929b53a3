import { invalidRequest, reading } from "./errors.js";
import type { DecisionModel, LocalCut, LocalDecisionModel, LocalPoint, RuntimeOptions } from "./types.js";

/** Runtime options with their defaults. */
export type CheckedRuntime = Required<Omit<RuntimeOptions, "signal" | "onProgress" | "onRequest">> &
  Pick<RuntimeOptions, "signal" | "onProgress" | "onRequest">;

type Check = (value: unknown) => boolean;

const isFunction: Check = (value) => typeof value === "function";
const isBoolean: Check = (value) => typeof value === "boolean";
const isSeconds: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isSignal: Check = (value) =>
  typeof value === "object" &&
  value !== null &&
  "aborted" in value &&
  typeof (value as AbortSignal).addEventListener === "function" &&
  typeof (value as AbortSignal).removeEventListener === "function";

/** What each option may be, and how a message says it. */
const RULES: { [K in keyof Required<RuntimeOptions>]: [Check, string] } = {
  signal: [isSignal, "must be an AbortSignal"],
  onProgress: [isFunction, "must be a function"],
  onRequest: [isFunction, "must be a function"],
  timeoutSeconds: [(value) => isSeconds(value) && (value as number) > 0, "must be a finite number of seconds above 0"],
  maxRetries: [
    (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 100,
    "must be an integer from 0 to 100",
  ],
  retryDelaySeconds: [
    (value) => isSeconds(value) && (value as number) >= 0,
    "must be a finite number of seconds, 0 or more",
  ],
  shareUnchanged: [isBoolean, "must be true or false"],
  countChars: [isBoolean, "must be true or false"],
  redact: [(value) => isBoolean(value) || isFunction(value), "must be true, false or a function"],
  language: [(value) => value === "en" || value === "zh", 'must be "en" or "zh"'],
};

/** The names of what is not data. */
export const RUNTIME_FIELDS: readonly string[] = Object.keys(RULES);

/** Checks what is not data. */
export function checkRuntime(runtime: RuntimeOptions = {}): CheckedRuntime {
  return reading("runtime", () => check(runtime));
}

function check(runtime: RuntimeOptions): CheckedRuntime {
  if (typeof runtime !== "object" || runtime === null)
    throw invalidRequest("runtime", "runtime must be an object", { value: runtime });
  for (const name of Object.keys(runtime) as (keyof RuntimeOptions)[]) {
    const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
    if (!rule)
      throw invalidRequest(`runtime.${name}`, `runtime has no field "${name}"; it has ${RUNTIME_FIELDS.join(", ")}`);
    const value = runtime[name];
    if (value !== undefined && !rule[0](value))
      throw invalidRequest(`runtime.${name}`, `runtime.${name} ${rule[1]}`, { value });
  }
  const {
    signal,
    onProgress,
    onRequest,
    timeoutSeconds = 10,
    maxRetries = 1,
    retryDelaySeconds = 0.5,
    shareUnchanged = false,
    countChars = true,
    redact = true,
    language = "en",
  } = runtime;
  return {
    timeoutSeconds,
    maxRetries,
    retryDelaySeconds,
    shareUnchanged,
    countChars,
    redact,
    language,
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
    ...(onRequest && { onRequest }),
  };
}

const POINTS: readonly string[] = ["careful", "balanced", "firm", "study"];

const CUTS: readonly string[] = ["options", "suggested"];

/**
 * The embedded decision model, passed in place of a function: deterministic, no network, no key; it runs inside the module and
 * may read outputs, which never leave it.
 *
 * @param options `point`: how bold it is. `careful` loses least, `firm` frees most. Default `balanced`. `cut`: where a shortened
 *   output is cut. `options` (the default) keeps `truncate_head_chars` and `truncate_tail_chars`; `suggested` keeps as many
 *   characters, a third of them at the start and the rest at the end, on line ends.
 */
export function localDecisionModel(options: { point?: LocalPoint; cut?: LocalCut } = {}): LocalDecisionModel {
  if (typeof options !== "object" || options === null)
    throw invalidRequest("options", 'options must be an object such as { point: "firm" }', { value: options });
  for (const name of Object.keys(options))
    if (name !== "point" && name !== "cut")
      throw invalidRequest(name, `the local model has no option "${name}"; it has point and cut`);
  const { point = "balanced", cut = "options" } = options;
  if (!POINTS.includes(point))
    throw invalidRequest("point", 'point must be "careful", "balanced" or "firm"', { value: point });
  if (!CUTS.includes(cut)) throw invalidRequest("cut", 'cut must be "options" or "suggested"', { value: cut });
  return Object.freeze({ kind: "local", point, cut });
}

/** The number of the local model's point, + 8 for cuts of its own; undefined for a function. */
export function localPoint(model: unknown): number | undefined {
  if (model === localDecisionModel)
    throw invalidRequest("decisionModel", "the local model must be called: localDecisionModel()");
  if (typeof model === "function") return undefined;
  const { kind, point, cut } = (
    typeof model === "object" && model !== null ? model : {}
  ) as Partial<LocalDecisionModel>;
  const number = kind === "local" ? POINTS.indexOf(point as string) : -1;
  if (number < 0)
    throw invalidRequest("decisionModel", "the decision model must be a function or localDecisionModel()", {
      value: model,
    });
  return number + (cut === "suggested" ? 8 : 0);
}

/** What the model itself allows; the core takes the smaller of it and the options. */
export interface Limits {
  maxQuestions: number | undefined;
  maxRequestTokens: number | undefined;
}

/** Reads the limits that a model function carries. */
export function limitsOf(model: DecisionModel | undefined): Limits {
  return reading("decisionModel.limits", () => checkLimits(model));
}

function checkLimits(model: DecisionModel | undefined): Limits {
  const limit = (name: keyof Limits) => {
    const value: unknown = model?.limits?.[name];
    if (value === undefined) return undefined;
    if (!Number.isInteger(value) || (value as number) < 1) {
      throw invalidRequest(
        `decisionModel.limits.${name}`,
        `decisionModel.limits.${name} must be an integer of at least 1`,
        { value },
      );
    }
    return Math.min(value as number, 0xffffffff);
  };
  return { maxQuestions: limit("maxQuestions"), maxRequestTokens: limit("maxRequestTokens") };
}
