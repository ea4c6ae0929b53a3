import type { DecisionModel } from "../types.js";
import { type Limits, limited, responseOf } from "./shared.js";

/** A client of the package `openai`, as far as it is used. */
export interface OpenAiClient {
  decisions: {
    // `any`: structural, so that no package is needed
    create(body: any, options?: any): PromiseLike<{ answers: unknown; usage?: unknown; model?: string }>;
  };
}

/** As OpenAI documents. */
const LIMITS: Limits = { maxQuestions: 400 };

/** Which model of OpenAI, and what it allows. */
export interface OpenAiModelOptions {
  /** @default "gpt-6-luna" */
  model?: string;
  /** In place of 400 questions in a request; what is not named stays. */
  limits?: Limits;
}

/**
 * A decision model of OpenAI (`client.decisions`). The client's own retries are switched off: `compactContext` retries.
 *
 * @param client `new OpenAI()`
 */
export function openAiModel(
  client: OpenAiClient,
  { model = "gpt-6-luna", limits }: OpenAiModelOptions = {},
): DecisionModel {
  return limited(
    async ({ state, questions }, { signal }) => {
      const body = {
        model,
        input: [{ role: "user", content: [{ type: "input_json", data: state }] }],
        questions: Object.entries(questions).map(([name, { instructions }]) => ({
          type: "predicate",
          name,
          instructions,
        })),
      };
      return responseOf(await client.decisions.create(body, { signal, maxRetries: 0 }));
    },
    LIMITS,
    limits,
  );
}
