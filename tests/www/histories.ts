/** A session of the tests in every format, a block a message, as small hosts write them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/shared.js";

interface Block {
  type: string;
  id?: string;
  name?: string;
  text?: string;
  input?: string;
  output?: unknown;
}

/** The session as the request that it is. */
export const request = readFileSync(
  join(root, "tests", "fixtures", "scenarios", "replication-lag", "request.json"),
  "utf8",
);

export const { messages, goal, eligible_tool_names } = JSON.parse(request) as {
  messages: { role: string; content: Block[] }[];
  goal: string;
  eligible_tool_names: string[];
};

/** A call, its result, or what somebody says, ready to be written. */
type Item =
  | { kind: "call"; id: string; name: string; input: object }
  | { kind: "result"; id: string; name: string; output: string }
  | { kind: "text"; role: string; text: string };

function itemOf(role: string, { type, id = "", name = "", input = "{}", output, text = "" }: Block): Item {
  if (type === "tool_call") return { kind: "call", id, name, input: JSON.parse(input) };
  if (type === "tool_result")
    return { kind: "result", id, name, output: typeof output === "string" ? output : JSON.stringify(output) };
  return { kind: "text", role, text };
}

const items = messages.flatMap(({ role, content }) => content.map((block) => itemOf(role, block)));

type Write = (item: Item, index: number) => object;

const chat: Write = (item) => {
  if (item.kind === "text") return { role: item.role, content: item.text };
  const { id } = item;
  if (item.kind === "result") return { role: "tool", tool_call_id: id, content: item.output };
  const called = { name: item.name, arguments: JSON.stringify(item.input) };
  return { role: "assistant", content: "", tool_calls: [{ id, type: "function", function: called }] };
};

const responses: Write = (item) => {
  if (item.kind === "text") return { role: item.role, content: item.text };
  const { id: call_id } = item;
  if (item.kind === "result") return { type: "function_call_output", call_id, output: item.output };
  return { type: "function_call", call_id, name: item.name, arguments: JSON.stringify(item.input) };
};

const anthropic: Write = (item) => {
  if (item.kind === "text") return { role: item.role, content: [{ type: "text", text: item.text }] };
  const { id } = item;
  return item.kind === "call"
    ? { role: "assistant", content: [{ type: "tool_use", id, name: item.name, input: item.input }] }
    : { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: item.output }] };
};

const aiSdkModel: Write = (item) => {
  if (item.kind === "text") return { role: item.role, content: item.text };
  const { id: toolCallId, name: toolName } = item;
  return item.kind === "call"
    ? { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName, input: item.input }] }
    : {
        role: "tool",
        content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: item.output } }],
      };
};

const gemini: Write = (item) => {
  if (item.kind === "text") return { role: item.role === "user" ? "user" : "model", parts: [{ text: item.text }] };
  const { id, name } = item;
  return item.kind === "call"
    ? { role: "model", parts: [{ functionCall: { id, name, args: item.input } }] }
    : { role: "user", parts: [{ functionResponse: { id, name, response: { output: item.output } } }] };
};

const langchain: Write = (item, index) => {
  const message = (name: string, fields: object) => ({
    lc: 1,
    type: "constructor",
    id: ["langchain_core", "messages", name],
    kwargs: { id: `m${index}`, additional_kwargs: {}, response_metadata: {}, ...fields },
  });
  if (item.kind === "text") return message(item.role === "user" ? "HumanMessage" : "AIMessage", { content: item.text });
  const { id, name } = item;
  if (item.kind === "result") return message("ToolMessage", { tool_call_id: id, name, content: item.output });
  return message("AIMessage", { content: "", tool_calls: [{ type: "tool_call", id, name, args: item.input }] });
};

/** Call and result are one part here. */
function aiSdkUi(): object[] {
  const outputs = new Map(items.flatMap((item) => (item.kind === "result" ? [[item.id, item.output] as const] : [])));
  return items.flatMap((item, index): object[] => {
    const id = `ui${index}`;
    if (item.kind === "result") return [];
    if (item.kind === "text") return [{ id, role: item.role, parts: [{ type: "text", text: item.text }] }];
    const { id: toolCallId, name, input } = item;
    const output = outputs.get(toolCallId);
    const state = output === undefined ? "input-available" : "output-available";
    return [
      { id, role: "assistant", parts: [{ type: `tool-${name}`, toolCallId, state, input, ...(output && { output }) }] },
    ];
  });
}

/** By the sub-path of the package, and for the AI SDK by kind. */
export const histories: Readonly<Record<string, object[]>> = {
  agentscope: messages,
  "openai-chat": items.map(chat),
  "openai-responses": items.map(responses),
  anthropic: items.map(anthropic),
  "ai-sdk-model": items.map(aiSdkModel),
  "ai-sdk-ui": aiSdkUi(),
  langchain: items.map(langchain),
  gemini: items.map(gemini),
};
