import type { DecisionModel } from "../types.js";
import { asked, type Limits, limited, noul, responseOf } from "./shared.js";

/** The `AI` binding of a Worker, as far as it is used. */
export interface WorkersAi {
  // `any`: the binding is typed by model, which differs from version to version
  run(model: any, input: any, options?: any): Promise<unknown>;
}

/** As Cloudflare documents for Clef. */
const LIMITS: Limits = { maxQuestions: 64 };

/** Which model of the binding, and what it allows. */
export interface WorkersAiOptions {
  /** @default "@cf/cloudflare/clef-flash" */
  model?: string;
  /** In place of 64 questions in a request; what is not named stays. */
  limits?: Limits;
}

/**
 * A decision model of Workers AI, by the binding `env.AI`. No key is needed, and nothing leaves Cloudflare.
 *
 * @param ai `env.AI`
 */
export function workersAiModel(
  ai: WorkersAi,
  { model = "@cf/cloudflare/clef-flash", limits }: WorkersAiOptions = {},
): DecisionModel {
  return limited(
    async (request, { signal }) => {
      const input = { state: request.state, questions: asked(request, noul) };
      return { model, ...responseOf(await ai.run(model, input, { signal })) };
    },
    LIMITS,
    limits,
  );
}
