/** The answers of providers' wires, the words for a question, and a model of LangChain.js that speaks one. */
import { BaseDecisionModel, parseClassifierResponse } from "@langchain/core/decisions";
import type { Seen } from "./provider.js";

/** The probability that the providers of the tests give: of four calls they keep the second one. */
export const probability = (name: string) => (name.endsWith("_t2") ? 0.8125 : 0.0625);

/** Answers of the System One wire. */
export const systemOne = ({ questions, model }: Seen["body"]) => ({
  model: model ?? "m",
  answers: Object.fromEntries(Object.keys(questions).map((name) => [name, { type: "noul", noul: probability(name) }])),
  usage: { input_tokens: 10, output_tokens: 2 },
});

/** Answers of OpenAI: a list with names. */
export const openAi = ({ questions, model }: Seen["body"]) => ({
  object: "decision",
  model,
  answers: questions.map(({ name }: { name: string }) => ({ type: "predicate", name, probability: probability(name) })),
  usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 },
});

/** A decision model of LangChain.js that asks over the System One wire. */
export class LangChain extends BaseDecisionModel {
  lc_namespace = ["test", "decisions"];

  constructor(private readonly url: string) {
    super({ model: "m" });
  }

  get _provider() {
    return "test";
  }

  async _classify(state: unknown, questions: unknown, config?: { signal?: AbortSignal }) {
    const response = await fetch(this.url, {
      method: "POST",
      body: JSON.stringify({ model: this.model, state, questions }),
      ...(config?.signal && { signal: config.signal }),
    });
    if (!response.ok) throw Object.assign(new Error("failed"), { status: response.status, headers: response.headers });
    const { answers, model, usage } = (await response.json()) as ReturnType<typeof systemOne>;
    return parseClassifierResponse({ answers, model, usage_metadata: usage });
  }
}
