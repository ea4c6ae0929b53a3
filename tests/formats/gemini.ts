import { compactMessages, decideMessages, inspectMessages, viewMessages } from "keepline/gemini";
import { type Adapter, type FormatCheck, type History, validator } from "./format.js";
import type { Random } from "./random.js";
import type { Script, ScriptCall, ScriptStep } from "./script.js";

interface Manner {
  ids: boolean;
  signs: boolean;
  key: string;
}

function model(step: ScriptStep, random: Random, { ids, signs }: Manner): object {
  const parts: object[] = [];
  for (let index = 0; index < step.thinking; index++) parts.push({ text: "Two lookups.", thought: true });
  if (step.text !== undefined) parts.push({ text: step.text });
  if (random.chance(0.05)) parts.push({ text: "", thoughtSignature: "sig" });
  if (step.calls.some(({ server }) => server)) {
    parts.push({ executableCode: { code: "1", language: "PYTHON" } });
    parts.push({ codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } });
  }
  step.calls.forEach((call, index) => {
    if (step.rethinks && index > 0) parts.push({ text: "And.", thought: true });
    parts.push({
      functionCall: {
        ...(ids && { id: call.id }),
        name: call.tool,
        ...((random.chance(0.9) || Object.keys(call.input).length > 0) && { args: call.input }),
      },
      ...(signs && index === 0 && { thoughtSignature: `sig${step.number}` }),
    });
  });
  return { role: "model", parts };
}

function response(call: ScriptCall, random: Random, { ids, key }: Manner): object {
  const [text] = call.texts;
  const named = random.chance(0.2) ? { name: call.tool } : {};
  const body = () => {
    if (call.failed) return { ...named, error: random.chance(0.5) ? text : { details: text } };
    if (call.form === "json") return { rows: call.texts, ...(call.tied && { image: { $ref: "a" } }) };
    return { ...named, [key]: call.form === "empty" ? "" : text };
  };
  return {
    functionResponse: {
      ...(ids && { id: call.id }),
      name: call.tool,
      response: body(),
      ...(call.form === "mixed" && { parts: [{ inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }] }),
      ...(random.chance(0.03) && { willContinue: true }),
    },
  };
}

function write({ items }: Script, random: Random): History {
  const manner = {
    ids: random.chance(0.7),
    signs: random.chance(0.6),
    key: random.pick(["output", "result", "content"]),
  };
  const messages = items.flatMap<object>((item) => {
    switch (item.kind) {
      case "system":
        return [];
      case "user":
        return [
          {
            ...(random.chance(0.8) && { role: "user" }),
            parts: [
              { text: item.text },
              ...(item.multimodal ? [{ inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }] : []),
            ],
          },
        ];
      case "reply": {
        const thought = item.thinking > 0 ? [{ text: "So.", thought: true }] : [];
        return [
          { role: "model", parts: [...thought, { text: item.text, ...(manner.signs && { thoughtSignature: "sig" }) }] },
        ];
      }
      default: {
        const results = item.calls.map((call) => response(call, random, manner));
        if (manner.ids && random.chance(0.3)) results.reverse();
        const beside = item.beside === undefined ? [] : [{ text: item.beside }];
        const role = random.chance(0.1) ? "function" : "user";
        return [model(item, random, manner), { role, parts: [...results, ...beside] }];
      }
    }
  });
  return {
    messages,
    runtime: {
      ...(random.chance(0.5) && { protectCurrentTurn: random.pick(["all", "calls", false, false]) }),
      ...(random.chance(0.3) && { jsonOutputs: true }),
      ...(random.chance(0.1) && { isError: () => random.chance(0) }),
    },
    validation: { allTurns: random.chance(0.5) },
  };
}

export const gemini = async (): Promise<FormatCheck> => ({
  name: "gemini",
  adapter: { compactMessages, decideMessages, inspectMessages, viewMessages } as unknown as Adapter,
  validate: await validator("gemini"),
  protects: "calls",
  write,
});
