import type { DecisionModel, DecisionResponse } from "../types.js";
import { asked, type Limits, limited, noul } from "./shared.js";

/** A `BaseDecisionModel` of LangChain.js, as far as it is used. */
export interface LangChainDecisionModel {
  // `any`: structural, so that no package is needed
  invoke(input: any, options?: any): PromiseLike<{ answers: unknown; usage_metadata?: unknown }>;
}

/**
 * A decision model of LangChain.js (`@langchain/core/decisions`). Whether it retries is its own matter: make it without retries
 * (`maxRetries: 0`), since `compactContext` retries.
 *
 * @param model an instance of a class that extends `BaseDecisionModel`
 */
export function langChainModel(model: LangChainDecisionModel, { limits }: { limits?: Limits } = {}): DecisionModel {
  return limited(async (request, { signal }) => {
    const response = await model.invoke({ state: request.state, questions: asked(request, noul) }, { signal });
    return {
      answers: response.answers as DecisionResponse["answers"],
      ...(response.usage_metadata !== undefined && { usage: response.usage_metadata }),
    };
  }, limits);
}
