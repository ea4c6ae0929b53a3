/** The decision models of the page, beside the local one. */
import {
  type DecisionModel,
  type DecisionRequest,
  type LocalDecisionModel,
  localDecisionModel,
  type RuntimeOptions,
} from "keepline";
import type { Ask, ModelChoice } from "./protocol.js";

/** A day: people need time. */
const PATIENCE_SECONDS = 86_400;
/** Questions that a person is asked at once: four calls. */
const QUESTIONS_AT_ONCE = 8;

/** A model, and what it asks of runtime and options. */
export interface ChosenModel {
  model: DecisionModel | LocalDecisionModel;
  runtime: RuntimeOptions;
  options: { max_concurrency?: number; total_timeout_seconds?: number };
}

/** What a scripted model goes by: name of the pair → its call id and tool. */
export type Names = ReadonlyMap<string, { call_id: string; tool: string }>;

/** The model of a choice. */
export function modelOf(
  choice: ModelChoice,
  names: Names,
  ask: (ask: Ask) => Promise<Record<string, number>>,
): ChosenModel {
  switch (choice.kind) {
    case "local":
      return { model: localDecisionModel({ point: choice.point }), runtime: {}, options: {} };
    case "ask":
      return asking(ask);
    case "scripted":
      return { model: scripted(choice.script, names), runtime: {}, options: {} };
    case "endpoint":
      return endpoint(choice);
  }
}

function asking(ask: (ask: Ask) => Promise<Record<string, number>>): ChosenModel {
  const model: DecisionModel = async ({ questions }, { batch, batches }) => ({
    answers: await ask({ batch, batches, questions: { ...questions } }),
  });
  model.limits = { maxQuestions: QUESTIONS_AT_ONCE };
  return {
    model,
    runtime: { timeoutSeconds: PATIENCE_SECONDS, maxRetries: 0 },
    options: { max_concurrency: 1, total_timeout_seconds: PATIENCE_SECONDS },
  };
}

/** Lines of "call id or tool, probability of the call, probability of the result"; `*` stands for every other call. */
function scripted(script: string, names: Names): DecisionModel {
  const lines = new Map<string, [number, number]>();
  for (const line of script.split("\n")) {
    const [name, call, result] = line.trim().split(/\s+/);
    if (name) lines.set(name, [Number(call), Number(result)]);
  }
  const answer = (question: string) => {
    const [kind, id] = question.split("_") as [string, string];
    const { call_id = "", tool = "" } = names.get(id) ?? {};
    const [call, result] = lines.get(call_id) ?? lines.get(tool) ?? lines.get("*") ?? [1, 1];
    return kind === "call" ? call : result;
  };
  return ({ questions }) => ({
    answers: Object.fromEntries(Object.keys(questions).map((question) => [question, answer(question)])),
  });
}

/** What an endpoint of the System One wire is sent. */
export function wireBody({ stateJson, questions }: DecisionRequest, model: string): string {
  const asked = Object.entries(questions).map(([name, { instructions }]) => [name, { type: "noul", instructions }]);
  return `{"model":${JSON.stringify(model)},"state":${stateJson},"questions":${JSON.stringify(Object.fromEntries(asked))}}`;
}

function endpoint(choice: Extract<ModelChoice, { kind: "endpoint" }>): ChosenModel {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (choice.key) headers.authorization = `Bearer ${choice.key}`;
  const model: DecisionModel = async (request, { signal }) => {
    const body = wireBody(request, choice.model);
    const response = await fetch(choice.url, { method: "POST", headers, body, signal, credentials: "omit" });
    if (!response.ok) {
      const text = (await response.text()).slice(0, 200);
      throw Object.assign(new Error(`HTTP ${response.status} ${text}`), {
        status: response.status,
        headers: response.headers,
      });
    }
    const answer = await response.json();
    // Workers AI wraps what the others send bare.
    return answer.result?.answers ? answer.result : answer;
  };
  model.limits = { maxQuestions: choice.maxQuestions };
  return {
    model,
    runtime: { timeoutSeconds: choice.timeoutSeconds },
    options: { total_timeout_seconds: choice.timeoutSeconds * 3 },
  };
}
