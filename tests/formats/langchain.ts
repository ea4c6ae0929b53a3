import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { compactMessages, decideMessages, inspectMessages, viewMessages } from "keepline/langchain";
import { type Adapter, type FormatCheck, type History, validator } from "./format.js";
import type { Random } from "./random.js";
import { type Script, type ScriptCall, type ScriptStep, together } from "./script.js";

type Fields = Record<string, unknown>;

/** How a provider's package fills a message. */
type Manner = "anthropic" | "streamed" | "gemini" | "chat" | "responses" | "google" | "v1" | "plain" | "chunk";

const calls = (step: ScriptStep) =>
  step.calls.map(({ id, tool, input }) => ({ type: "tool_call" as const, id, name: tool, args: input }));

function anthropic(step: ScriptStep): Fields {
  const thinking = (index: number) => ({ type: "thinking", thinking: "Two.", signature: `sig${step.number}_${index}` });
  const content: object[] = Array.from({ length: step.thinking }, (_, index) => thinking(index));
  if (step.text !== undefined) content.push({ type: "text", text: step.text });
  step.calls.forEach(({ id, tool, input }, index) => {
    if (step.rethinks && index > 0) content.push(thinking(10 + index));
    content.push({ type: "tool_use", id, name: tool, input });
  });
  return { content, tool_calls: calls(step), response_metadata: { model_provider: "anthropic" } };
}

/** As `stream()` of Anthropic's package gives it: the input of a call stands in blocks of its own. */
function streamed(step: ScriptStep): Fields {
  const content: object[] = [];
  if (step.thinking > 0) content.push({ type: "thinking", thinking: "Two.", signature: `sig${step.number}`, index: 0 });
  if (step.text !== undefined) content.push({ type: "text", text: step.text, index: 1 });
  step.calls.forEach(({ id, tool, input }, position) => {
    const index = position + 2;
    content.push({ type: "tool_use", id, name: tool, input: "", index });
    content.push({ type: "input_json_delta", input: JSON.stringify(input), index });
  });
  return { content, tool_calls: calls(step), response_metadata: { model_provider: "anthropic" } };
}

/** As Google's older interface gives it: calls without ids in the content. */
function gemini(step: ScriptStep): Fields {
  const content: object[] = step.text === undefined ? [] : [{ type: "text", text: step.text }];
  step.calls.forEach(({ tool, input }, index) => {
    const signed = index === 0 && step.thinking > 0 ? { thoughtSignature: `sig${step.number}` } : {};
    content.push({ type: "functionCall", functionCall: { name: tool, args: input }, ...signed });
  });
  return { content, tool_calls: calls(step), response_metadata: { model_provider: "google-genai" } };
}

function chat(step: ScriptStep): Fields {
  const tool_calls = step.calls.map(({ id, tool, input }) => ({
    id,
    type: "function",
    function: { name: tool, arguments: JSON.stringify(input) },
  }));
  return {
    content: step.text ?? "",
    tool_calls: calls(step),
    additional_kwargs: { tool_calls, ...(step.thinking > 0 && { reasoning_content: "Two." }) },
  };
}

function responses(step: ScriptStep): Fields {
  const output: object[] = [];
  if (step.thinking > 0) output.push({ type: "reasoning", id: `rs_${step.number}`, summary: [] });
  const text = step.text === undefined ? [] : [{ type: "text", text: step.text }];
  if (step.text !== undefined) output.push({ type: "message", id: `msg_${step.number}`, content: step.text });
  step.calls.forEach(({ id, tool, input }, index) => {
    if (step.rethinks && index > 0) output.push({ type: "reasoning", id: `rs_${step.number}_${index}`, summary: [] });
    output.push({ type: "function_call", id: `fc_${id}`, call_id: id, name: tool, arguments: JSON.stringify(input) });
  });
  const ids = Object.fromEntries(step.calls.map(({ id }) => [id, `fc_${id}`]));
  return {
    content: text,
    tool_calls: calls(step),
    additional_kwargs: {
      __openai_function_call_ids__: ids,
      ...(step.thinking > 0 && { reasoning: { type: "reasoning", id: `rs_${step.number}`, summary: [] } }),
    },
    response_metadata: { model_provider: "openai", output },
  };
}

function google(step: ScriptStep): Fields {
  const [first] = step.calls as [ScriptCall];
  return {
    content: step.text ?? "",
    tool_calls: calls(step),
    additional_kwargs: { __gemini_function_call_thought_signatures__: { [first.id]: `sig${step.number}` } },
    response_metadata: { model_provider: "google-genai" },
  };
}

function v1(step: ScriptStep): Fields {
  const content: object[] = [];
  if (step.thinking > 0) content.push({ type: "reasoning", reasoning: "Two.", id: `rs_${step.number}` });
  if (step.text !== undefined) content.push({ type: "text", text: step.text });
  content.push(...calls(step));
  return { content, tool_calls: calls(step), response_metadata: { output_version: "v1" } };
}

function chunk(step: ScriptStep): Fields {
  const tool_call_chunks = step.calls.flatMap(({ id, tool, input }, index) => {
    const args = JSON.stringify(input);
    return [
      { type: "tool_call_chunk", id, name: tool, args: args.slice(0, 3), index },
      { type: "tool_call_chunk", args: args.slice(3), index },
    ];
  });
  return { content: step.text ?? "", tool_call_chunks };
}

function plain(step: ScriptStep, random: Random): Fields {
  return {
    content: step.text ?? random.pick(["", []]),
    tool_calls: calls(step),
    ...(random.chance(0.05) && {
      invalid_tool_calls: [{ id: `bad${step.number}`, name: "read", args: "{", error: "x" }],
    }),
    ...(random.chance(0.05) && { additional_kwargs: { tool_outputs: [{ type: "web_search_call", id: "ws" }] } }),
  };
}

const WRITERS: Record<Manner, (step: ScriptStep, random: Random) => Fields> = {
  anthropic,
  streamed,
  gemini,
  chat,
  responses,
  google,
  v1,
  plain,
  chunk,
};

function result(call: ScriptCall, random: Random): BaseMessage {
  const parts: object[] = call.texts.map((text) => ({ type: "text", text }));
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
  const lists: Record<string, unknown> = { list: parts, mixed: [...parts, image], empty: "" };
  return new ToolMessage({
    tool_call_id: call.id,
    content: (lists[call.form] ?? call.texts[0]) as string,
    ...(random.chance(0.5) && { name: call.tool }),
    ...(random.chance(0.5) && { id: `t_${call.id}` }),
    ...(call.failed ? { status: "error" } : random.chance(0.5) && { status: "success" }),
    ...(random.chance(0.2) && { artifact: { rows: [1], url: new URL("https://example.org") } }),
    ...(call.tied && { additional_kwargs: { customTool: true } }),
  });
}

const MANNERS: Record<Script["provider"], readonly Manner[]> = {
  anthropic: ["anthropic", "streamed"],
  openai: ["chat", "responses", "v1"],
  google: ["google", "gemini"],
  none: ["plain", "chunk"],
};

function write(script: Script, random: Random): History {
  const { items, provider } = script;
  const manner = random.pick(MANNERS[provider]);
  const messages = items.flatMap<BaseMessage>((item, index) => {
    switch (item.kind) {
      case "system":
        return [new SystemMessage(item.text)];
      case "user": {
        const image = { type: "image_url", image_url: { url: "x" } };
        return [
          new HumanMessage({
            content: item.multimodal ? [{ type: "text", text: item.text }, image] : item.text,
            id: `h${index}`,
          } as never),
        ];
      }
      case "reply":
        return [new AIMessage(item.text)];
      default: {
        const fields = { ...WRITERS[manner](item, random), ...(random.chance(0.7) && { id: `a${index}` }) } as never;
        const results = item.calls.map((call) => result(call, random));
        if (random.chance(0.3)) results.reverse();
        return [manner === "chunk" ? new AIMessageChunk(fields) : new AIMessage(fields), ...results];
      }
    }
  });
  return {
    messages: shaped(messages, random),
    untouchable: untouchable(messages),
    groups: together(
      script,
      ({ thinking }) =>
        manner === "google" ||
        (manner === "gemini" && thinking > 0) ||
        (["responses", "v1"].includes(manner) && thinking > 0),
    ),
    runtime: {
      ...(random.chance(0.3) && { protectCurrentTurn: random.pick(["all", "calls", false]) }),
      ...(random.chance(0.2) && { stripThinkingAfterEdit: true }),
    },
  };
}

/** Calls beside what could not be sent without them, and those of special tools. */
function untouchable(messages: readonly BaseMessage[]): string[] {
  return messages.flatMap((message) => {
    const extras = message.additional_kwargs;
    if (message instanceof ToolMessage) return extras.customTool ? [message.tool_call_id] : [];
    const { invalid_tool_calls: invalid = [], tool_calls: calls = [] } = message as AIMessage;
    return invalid.length > 0 || extras.tool_outputs ? calls.map(({ id }) => String(id)) : [];
  });
}

/** The same messages in one of the shapes in which hosts hold them. */
function shaped(messages: BaseMessage[], random: Random): object[] {
  switch (random.pick(["instance", "instance", "constructor", "stored", "flat"])) {
    case "constructor":
      return JSON.parse(JSON.stringify(messages));
    case "stored":
      return JSON.parse(JSON.stringify(mapChatMessagesToStoredMessages(messages)));
    case "flat":
      return mapChatMessagesToStoredMessages(messages).map(({ type, data }) =>
        JSON.parse(JSON.stringify({ type, ...data })),
      );
    default:
      for (const message of messages) if (random.chance(0.1)) Object.assign(message, { hostsOwn: 1 });
      return messages;
  }
}

/** What a class instance must still be, and what Google takes. */
function stillMessages(_before: readonly object[], after: readonly object[]): string[] {
  const found: string[] = [];
  after.forEach((message, index) => {
    if (!("_getType" in message)) return;
    const instance = message as BaseMessage;
    if (typeof instance.getType() !== "string" || typeof instance.text !== "string")
      found.push(`${index} has no methods`);
    const calls = (instance as AIMessage).tool_calls ?? [];
    const blocks = instance.contentBlocks.filter(({ type }) => type === "tool_call");
    if (blocks.length > 0 && blocks.length !== calls.length) found.push(`${index} shows other calls in contentBlocks`);
  });
  found.push(...contentFaults(after));
  const isGoogles = JSON.stringify(after).includes('"google-genai"');
  if (isGoogles) {
    const view = viewMessages(after as BaseMessage[]);
    view.forEach(({ role, calls }, index) => {
      if (role === "assistant" && calls.length > 0 && view[index - 1]?.role === "assistant")
        found.push(`${index} has a call of Google behind a message of the model`);
    });
  }
  return found;
}

/** Blocks of the content that repeat a call which is gone, or a message with nothing in it. */
function contentFaults(after: readonly object[]): string[] {
  type Shown = { content: { type: string; index?: number }[]; tool_calls?: { name: string }[] };
  const found: string[] = [];
  after.forEach((message, index) => {
    const shown = JSON.parse(JSON.stringify(message));
    const { content, tool_calls: calls = [] } = (shown.kwargs ?? shown.data ?? shown) as Shown;
    if (!Array.isArray(content)) return;
    const of = (type: string) => content.filter((block) => block.type === type);
    const uses = of("tool_use").map((block) => block.index);
    if (of("input_json_delta").some((block) => !uses.includes(block.index)))
      found.push(`${index} has input of no call`);
    const googles = of("functionCall").length;
    if (googles > 0 && googles !== calls.length) found.push(`${index} has ${googles} calls in its content`);
  });
  return found;
}

export const langchain = async (): Promise<FormatCheck> => ({
  name: "langchain",
  adapter: { compactMessages, decideMessages, inspectMessages, viewMessages } as unknown as Adapter,
  validate: await validator("langchain"),
  protects: "it depends",
  write,
  also: stillMessages,
});
