import type { DecisionModel, DecisionResponse } from "../types.js";
import { asked, type Limits, limited } from "./shared.js";

/** `experimental_decide` of the package `ai`, as far as it is used. */
// `any`: the function is generic over questions in a way that cannot be written without its package
type Decide = (options: any) => PromiseLike<{ answers: unknown; usage?: unknown }>;

/** A decision model of AI SDK 7; older providers call the method `doEvaluate`. */
interface Deciding {
  modelId?: string;
  // `any`: the same
  doDecide?(options: any): PromiseLike<{ answers: unknown; usage?: unknown }>;
  // `any`: the same
  doEvaluate?(options: any): PromiseLike<{ answers: unknown; usage?: unknown }>;
}

/** How a model of the AI SDK is asked. */
export interface AiSdkModelOptions {
  /** The model, or its id where `decide` is given: `openai.decisionModel("…")`, `typeSafeAi.evaluationModel("jev-latest")`. */
  model: Deciding | string;
  /** `experimental_decide`, for its telemetry and registry; without it the model is called itself. */
  decide?: Decide;
  /** Handed on with every call. */
  headers?: Readonly<Record<string, string>>;
  /** Handed on with every call. */
  providerOptions?: Readonly<Record<string, unknown>>;
  /** What the model allows. */
  limits?: Limits;
}

/**
 * Any decision model of AI SDK 7. Its own retries are switched off: `compactContext` retries.
 *
 * @param options the model, and `experimental_decide` if calls shall go through it
 */
export function aiSdkModel({ model, decide, headers, providerOptions, limits }: AiSdkModelOptions): DecisionModel {
  const direct = typeof model === "string" ? undefined : (model.doDecide ?? model.doEvaluate)?.bind(model);
  if (!decide && !direct)
    throw new TypeError("aiSdkModel: model must be a decision model of AI SDK 7, or decide must be given");
  return limited(async (request, { signal }) => {
    const common = {
      questions: asked(request, (instructions) => ({ type: "boolean" as const, instructions })),
      abortSignal: signal,
      ...(headers && { headers }),
      ...(providerOptions && { providerOptions }),
    };
    const { answers, usage } = decide
      ? await decide({ ...common, model, state: request.state, maxRetries: 0 })
      : await (direct as Decide)({ ...common, state: [{ type: "json", value: request.state }] });
    return { answers: answers as DecisionResponse["answers"], ...(usage !== undefined && { usage }) };
  }, limits);
}
