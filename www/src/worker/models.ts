/** The decision models of the page other than the local one; loaded when one is chosen. */
import type { DecisionModel, DecisionRequest, RuntimeOptions } from "keepline";
import type { Ask, Asked, ModelChoice } from "./protocol.js";

type Endpoint = Extract<ModelChoice, { kind: "endpoint" }>;

/** A day: people need time. */
const PATIENCE_SECONDS = 86_400;
/** Questions that a person is asked at once: four calls. */
const QUESTIONS_AT_ONCE = 8;

/** A model, and what it asks of runtime and options. */
export interface ChosenModel {
  model: DecisionModel;
  runtime: RuntimeOptions;
  options: { max_concurrency?: number; total_timeout_seconds?: number };
}

/** What a scripted model goes by: name of the pair → its call id and tool. */
export type Names = ReadonlyMap<string, { call_id: string; tool: string }>;

/** The model of a choice. */
export async function modelOf(
  choice: Exclude<ModelChoice, { kind: "local" }>,
  names: Names,
  ask: (ask: Ask) => Promise<Record<string, number>>,
): Promise<ChosenModel> {
  switch (choice.kind) {
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

/** The package's own function for the System One wire, and what it is told; loaded when somebody asks for it. */
async function systemOne(
  { url, model, key, maxQuestions }: Omit<Endpoint, "kind" | "timeoutSeconds">,
  send: typeof fetch,
) {
  const { systemOneModel } = await import("keepline/models/system-one");
  return systemOneModel({
    url,
    ...(model !== "" && { model }),
    ...(key !== "" && { apiKey: key }),
    limits: { maxQuestions },
    fetch: send,
  });
}

/** No cookies travel. */
const sendBare: typeof fetch = (input, init) => fetch(input, { ...init, credentials: "omit" });

async function endpoint(choice: Endpoint): Promise<ChosenModel> {
  return {
    model: await systemOne(choice, sendBare),
    runtime: { timeoutSeconds: choice.timeoutSeconds },
    options: { total_timeout_seconds: choice.timeoutSeconds * 3 },
  };
}

/** What an endpoint would be sent, without sending: the very text of the body. */
export async function wireBodies(
  requests: readonly DecisionRequest[],
  { model, maxQuestions }: Asked,
): Promise<string[]> {
  const bodies: string[] = [];
  const keep: typeof fetch = async (_input, init) => {
    bodies.push(String(init?.body));
    return Response.json({ answers: {} });
  };
  const ask = await systemOne({ url: "inspect:", model, key: "", maxQuestions }, keep);
  const { signal } = new AbortController();
  for (const [batch, request] of requests.entries())
    await ask(request, { signal, batch, batches: requests.length, attempt: 0 });
  return bodies;
}
