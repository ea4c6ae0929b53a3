/** Both kinds of messages of the AI SDK. */
import { convertToModelMessages, modelMessageSchema as schemaOf7, type UIMessage } from "ai";
import { modelMessageSchema as schemaOf5 } from "ai-v5";
import { modelMessageSchema as schemaOf6 } from "ai-v6";
import { compactMessages, decideMessages, inspectMessages, viewMessages } from "keepline/ai-sdk";
import { type Adapter, type FormatCheck, type History, validator } from "./format.js";
import type { Random } from "./random.js";
import { idsOf, type Script, type ScriptCall, type ScriptStep, together } from "./script.js";

const adapter = { compactMessages, decideMessages, inspectMessages, viewMessages } as unknown as Adapter;

/** What a provider says of its reasoning and of the first of its calls. */
function metadata(script: Script, what: "reasoning" | "call", number: number, index: number): object | undefined {
  switch (script.provider) {
    case "anthropic":
      return what === "reasoning" ? { anthropic: { signature: `sig${number}` } } : undefined;
    case "openai":
      return { openai: { itemId: `${what}_${number}_${index}` } };
    case "google":
      return what === "reasoning" || index === 0 ? { google: { thoughtSignature: `sig${number}` } } : undefined;
    default:
      return undefined;
  }
}

function named<T extends object>(name: string, value: T | undefined): object {
  return value === undefined ? {} : { [name]: value };
}

/** What ties a call to something else. */
function tie(call: ScriptCall, count: number): object | undefined {
  if (!call.tied) return undefined;
  if (call.form === "list") return { openai: { parallelToolCall: expanded(call) } };
  return count === 1
    ? { anthropic: { caller: { type: "code_execution_20250825", toolId: "srv1" } } }
    : { openai: { caller: { type: "program", callerId: "p1" } } };
}

/** What a call says that was one of several in a wrapper. */
const expanded = ({ id, tool }: ScriptCall) => ({
  itemId: "fc_1",
  toolCallId: `wrapper_${id}`,
  toolName: tool,
  input: "{}",
  index: 0,
  count: 1,
});

/** One reasoning item of OpenAI in front of calls, or one signature of Google on the first of them. */
function groupsOf(script: Script): string[][] {
  // What the provider ran stays in any case, and a signature with it.
  return together(script, ({ thinking, rethinks, calls }) => {
    if (script.provider === "google") return calls[0]?.server === false;
    return script.provider === "openai" && thinking > 0 && !rethinks;
  });
}

const untouchable = ({ items }: Script) => idsOf(items, ({ tied, server }) => tied || server);

type Version = 5 | 6 | 7;

function output(call: ScriptCall, random: Random, version: Version): object {
  const [text] = call.texts;
  if (call.approval === "denied" && version > 5) return { type: "execution-denied", reason: text };
  if (call.failed) return { type: random.pick(["error-text", "error-json"]), value: text };
  const parts: object[] = call.texts.map((text) => ({ type: "text", text }));
  const image =
    version === 7
      ? { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw0KGgo=" } }
      : { type: "media", mediaType: "image/png", data: "iVBORw0KGgo=" };
  switch (call.form) {
    case "list":
      return { type: "content", value: parts };
    case "mixed":
      return { type: "content", value: [...parts, image] };
    case "json":
      return { type: "json", value: { rows: call.texts, n: 1 } };
    case "empty":
      return { type: "text", value: "" };
    default:
      return {
        type: "text",
        value: text,
        ...(version === 7 &&
          random.chance(0.2) && { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } }),
      };
  }
}

function modelStep(step: ScriptStep, script: Script, random: Random, version: Version): object[] {
  const content: object[] = [];
  const reason = (index: number) => {
    const said = named("providerOptions", metadata(script, "reasoning", step.number, index));
    content.push({ type: "reasoning", text: "Two lookups.", ...said });
  };
  // Two items of OpenAI that touch are a fault.
  const thinking = script.provider === "openai" ? Math.min(1, step.thinking) : step.thinking;
  for (let index = 0; index < thinking; index++) reason(index);
  if (step.text !== undefined) content.push({ type: "text", text: step.text });
  else if (random.chance(0.1)) content.push({ type: "text", text: "" });
  const results: object[] = [];
  const responses: object[] = [];
  step.calls.forEach((call, index) => {
    if (step.rethinks && index > 0) reason(10 + index);
    const said = { ...metadata(script, "call", step.number, index), ...tie(call, step.calls.length) };
    const part = { toolCallId: call.id, toolName: call.tool };
    content.push({
      type: "tool-call",
      ...part,
      input: random.chance(0.03) ? "raw" : call.input,
      ...(Object.keys(said).length > 0 && { providerOptions: said }),
      ...(call.server && { providerExecuted: true }),
    });
    const result = { type: "tool-result", ...part, output: output(call, random, version) };
    if (call.server) {
      content.push(result);
      return;
    }
    if (call.approval !== "none" && version > 5) {
      const approvalId = `ap_${step.number}_${index}`;
      content.push({ type: "tool-approval-request", approvalId, toolCallId: call.id });
      responses.push({ type: "tool-approval-response", approvalId, approved: call.approval === "granted" });
    }
    results.push({ ...result, ...(random.chance(0.02) && { providerOptions: { openai: { additionalTools: [] } } }) });
  });
  if (random.chance(0.3)) results.reverse();
  const tool = (content: object[]) => (content.length > 0 ? [{ role: "tool", content }] : []);
  const answers = random.chance(0.5) ? tool([...responses, ...results]) : [...tool(responses), ...tool(results)];
  return [{ role: "assistant", content }, ...answers];
}

function runtimeOf(random: Random, script: Script): Record<string, unknown> {
  return {
    ...(random.chance(0.3) && { protectCurrentTurn: random.pick(["all", "calls", false]) }),
    ...(random.chance(0.3) && { jsonOutputs: true }),
    ...(script.provider === "anthropic" && random.chance(0.2) && { stripThinkingAfterEdit: true }),
    ...(random.chance(0.05) && { prefixMismatch: "error" }),
  };
}

function writeModel(script: Script, random: Random): History {
  const version = random.pick([5, 6, 7, 7] as const);
  const messages = script.items.flatMap<object>((item) => {
    switch (item.kind) {
      case "system":
        return [{ role: "system", content: random.chance(0.2) ? "" : item.text }];
      case "user":
        return [{ role: "user", content: item.multimodal ? picture(item.text) : item.text }];
      case "reply": {
        const text = { type: "text", text: item.text };
        const said = named("providerOptions", metadata(script, "reasoning", item.number, 0));
        const thinking = item.thinking > 0 ? [{ type: "reasoning", text: "So.", ...said }] : [];
        return [
          { role: "assistant", content: thinking.length === 0 && random.chance(0.5) ? item.text : [...thinking, text] },
        ];
      }
      default:
        return modelStep(item, script, random, version);
    }
  });
  return {
    messages,
    untouchable: untouchable(script),
    groups: groupsOf(script),
    runtime: runtimeOf(random, script),
    validation: { version },
  };
}

function picture(text: string): object[] {
  return [
    { type: "text", text },
    { type: "image", image: new Uint8Array([1, 2, 3]) },
    { type: "file", data: new URL("https://example.org/a.pdf"), mediaType: "application/pdf" },
  ];
}

const SCHEMAS = { 5: schemaOf5, 6: schemaOf6, 7: schemaOf7 };

/** What the SDK sends of a message: empty texts go. */
const sends = (message: object) => {
  const { content, parts = content } = message as { content?: unknown; parts?: unknown };
  const isSent = ({ type, text }: { type: string; text?: string }) =>
    type !== "step-start" && !(type === "text" && text === "");
  return !Array.isArray(parts) || parts.some(isSent);
};

/** A message that is sent with nothing in it, though all of the input's said something. */
function emptied(before: readonly object[], after: readonly object[]): string[] {
  return before.every(sends) && !after.every(sends) ? ["a message is sent empty"] : [];
}

/** What the SDK's own schema of a version says, where it took the input. */
function schemaFaults(before: readonly object[], after: readonly object[], history: History): string[] {
  const schema = SCHEMAS[history.validation?.version as Version];
  const passes = (message: object) => schema.safeParse(message).success;
  if (!before.every(passes)) return [];
  return after.every(passes) ? [] : [`modelMessageSchema of version ${history.validation?.version} rejects the result`];
}

function uiPart(call: ScriptCall, script: Script, step: ScriptStep, index: number, random: Random): object {
  const name = call.form === "mixed" ? { type: "dynamic-tool", toolName: call.tool } : { type: `tool-${call.tool}` };
  const said = { ...metadata(script, "call", step.number, index), ...tie(call, step.calls.length) };
  const part = {
    ...name,
    toolCallId: call.id,
    ...(Object.keys(said).length > 0 && { callProviderMetadata: said }),
    ...(call.server && { providerExecuted: true }),
  };
  const asked = { id: `ap_${step.number}_${index}` };
  if (call.approval === "denied")
    return { ...part, state: "output-denied", input: call.input, approval: { ...asked, approved: false } };
  if (call.failed) return { ...part, state: "output-error", input: call.input, errorText: call.texts[0] };
  const output = call.form === "json" || call.form === "mixed" ? { rows: call.texts } : call.texts[0];
  return {
    ...part,
    state: "output-available",
    input: call.input,
    output,
    ...(random.chance(0.02) && { preliminary: true }),
    ...(call.approval === "granted" && { approval: { ...asked, approved: true } }),
  };
}

function uiStep(step: ScriptStep, script: Script, random: Random): object[] {
  const parts: object[] = [{ type: "step-start" }];
  const reason = (index: number) => {
    const said = named("providerMetadata", metadata(script, "reasoning", step.number, index));
    parts.push({ type: "reasoning", text: "Two lookups.", state: "done", ...said });
  };
  const thinking = script.provider === "openai" ? Math.min(1, step.thinking) : step.thinking;
  for (let index = 0; index < thinking; index++) {
    reason(index);
    if (random.chance(0.1)) parts.push({ type: "source-url", sourceId: `s${step.number}`, url: "https://example.org" });
  }
  if (step.text !== undefined) parts.push({ type: "text", text: step.text, state: "done" });
  else if (random.chance(0.1)) parts.push({ type: "text", text: "", state: "done" });
  if (random.chance(0.1)) parts.push({ type: "data-chart", data: { rows: [1] } });
  step.calls.forEach((call, index) => {
    if (step.rethinks && index > 0) reason(10 + index);
    parts.push(uiPart(call, script, step, index, random));
  });
  if (random.chance(0.05)) parts.push({ type: "source-url", sourceId: `t${step.number}`, url: "https://example.org" });
  return parts;
}

function writeUi(script: Script, random: Random): History {
  const messages: { id: string; role: string; parts: object[]; metadata?: object }[] = [];
  const reply = (parts: object[]) => {
    const last = messages.at(-1);
    if (last?.role === "assistant") last.parts.push(...parts);
    else messages.push({ id: `m${messages.length}`, role: "assistant", metadata: { model: "any" }, parts });
  };
  for (const item of script.items) {
    switch (item.kind) {
      case "system":
        messages.push({ id: `m${messages.length}`, role: "system", parts: [{ type: "text", text: item.text }] });
        break;
      case "user":
        messages.push({
          id: `m${messages.length}`,
          role: "user",
          parts: [
            { type: "text", text: item.text },
            ...(item.multimodal
              ? [{ type: "file", mediaType: "image/png", url: "data:image/png;base64,iVBORw0KGgo=" }]
              : []),
          ],
        });
        break;
      case "reply":
        reply([{ type: "step-start" }, { type: "text", text: item.text, state: "done" }]);
        break;
      default:
        reply(uiStep(item, script, random));
    }
  }
  return { messages, untouchable: untouchable(script), groups: groupsOf(script), runtime: runtimeOf(random, script) };
}

/** A history that the SDK itself made of the page's. */
async function converted(script: Script, random: Random): Promise<History> {
  const { messages, ...rest } = writeUi(script, random);
  const model = await convertToModelMessages(structuredClone(messages) as unknown as UIMessage[]);
  return { ...rest, messages: model, validation: { version: 7 } };
}

export const aiSdkModel = async (): Promise<FormatCheck> => ({
  name: "ai-sdk-model",
  adapter,
  validate: await validator("ai-sdk-model"),
  protects: "it depends",
  write: (script, random) => (random.chance(0.2) ? converted(script, random) : writeModel(script, random)),
  also: (before, after, history) => [...emptied(before, after), ...schemaFaults(before, after, history)],
});

export const aiSdkUi = async (): Promise<FormatCheck> => ({
  name: "ai-sdk-ui",
  adapter,
  validate: await validator("ai-sdk-ui"),
  protects: "it depends",
  write: writeUi,
  also: emptied,
});
