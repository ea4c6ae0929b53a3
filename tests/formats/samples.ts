/** The samples of the formats as the vendors' own types take them, without a cast. The compiler is the test. */
import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import type { Content } from "@google/genai";
import type { ModelMessage, UIMessage } from "ai";
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import type { ResponseInputItem } from "openai/resources/responses/responses";

/** What servers other than OpenAI's add. */
type Reasoned = ChatCompletionAssistantMessageParam & { reasoning_content?: string };

export const openaiChat: (ChatCompletionMessageParam | Reasoned)[] = [
  { role: "system", content: "You are a payments engineer." },
  {
    role: "user",
    content: [{ type: "text", text: "Why do retries fail? Check code, orders table and the error chart." }],
  },
  {
    role: "assistant",
    content: "Checking both.",
    reasoning_content: "Two lookups can run side by side.",
    tool_calls: [
      { id: "call_1", type: "function", function: { name: "search_code", arguments: '{"pattern":"retry"}' } },
      { id: "call_2", type: "function", function: { name: "query_db", arguments: '{"table":"orders"}' } },
    ],
  },
  {
    role: "tool",
    tool_call_id: "call_1",
    content: [
      { type: "text", text: "pay/retry.ts:14 maxRetries = 0" },
      { type: "text", text: "pay/retry.ts:40 backoff()" },
    ],
  },
  { role: "tool", tool_call_id: "call_2", content: '{"error":"connection timed out"}' },
  {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "call_3", type: "function", function: { name: "render_chart", arguments: '{"metric":"errors"}' } },
    ],
  },
  { role: "tool", tool_call_id: "call_3", content: "Errors by hour (image in the next message)" },
  {
    role: "user",
    content: [
      { type: "text", text: "image of call_3" },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
    ],
  },
  { role: "assistant", content: "maxRetries is 0, so nothing is retried." },
];

export const openaiResponses: ResponseInputItem[] = [
  {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: "Why do retries fail? Check code, orders table and the error chart." }],
  },
  {
    type: "reasoning",
    id: "rs_1",
    summary: [{ type: "summary_text", text: "Two lookups can run side by side." }],
    encrypted_content: "ZW5jLTE=",
  },
  {
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "search_code",
    arguments: '{"pattern":"retry"}',
    status: "completed",
  },
  {
    type: "function_call",
    id: "fc_2",
    call_id: "call_2",
    name: "query_db",
    arguments: '{"table":"orders"}',
    status: "completed",
  },
  {
    type: "function_call_output",
    call_id: "call_1",
    output: "pay/retry.ts:14 maxRetries = 0\npay/retry.ts:40 backoff()",
  },
  { type: "function_call_output", call_id: "call_2", output: '{"error":"connection timed out"}', status: "incomplete" },
  { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "ZW5jLTI=" },
  {
    type: "function_call",
    id: "fc_3",
    call_id: "call_3",
    name: "render_chart",
    arguments: '{"metric":"errors"}',
    status: "completed",
  },
  {
    type: "function_call_output",
    call_id: "call_3",
    output: [
      { type: "input_text", text: "Errors by hour" },
      { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "auto" },
    ],
  },
  {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    phase: "final_answer",
    content: [{ type: "output_text", text: "maxRetries is 0, so nothing is retried.", annotations: [] }],
  },
];

export const anthropic: MessageParam[] = [
  { role: "user", content: "Why do retries fail? Check code, orders table and the error chart." },
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Two lookups can run side by side.", signature: "c2lnLTE=" },
      { type: "text", text: "Checking both." },
      { type: "tool_use", id: "toolu_1", name: "search_code", input: { pattern: "retry" } },
      { type: "tool_use", id: "toolu_2", name: "query_db", input: { table: "orders" } },
    ],
  },
  {
    role: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: "toolu_1",
        content: [
          { type: "text", text: "pay/retry.ts:14 maxRetries = 0" },
          { type: "text", text: "pay/retry.ts:40 backoff()" },
        ],
      },
      { type: "tool_result", tool_use_id: "toolu_2", content: "connection timed out", is_error: true },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "", signature: "c2lnLTI=" },
      { type: "tool_use", id: "toolu_3", name: "render_chart", input: { metric: "errors" } },
    ],
  },
  {
    role: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: "toolu_3",
        content: [
          { type: "text", text: "Errors by hour" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
        ],
      },
    ],
  },
  { role: "assistant", content: [{ type: "text", text: "maxRetries is 0, so nothing is retried." }] },
];

export const aiSdkModel: ModelMessage[] = [
  {
    role: "user",
    content: [{ type: "text", text: "Why do retries fail? Check code, orders table and the error chart." }],
  },
  {
    role: "assistant",
    content: [
      {
        type: "reasoning",
        text: "Two lookups can run side by side.",
        providerOptions: { anthropic: { signature: "c2lnLTE=" } },
      },
      { type: "text", text: "Checking both." },
      { type: "tool-call", toolCallId: "tc1", toolName: "search_code", input: { pattern: "retry" } },
      { type: "tool-call", toolCallId: "tc2", toolName: "query_db", input: { table: "orders" } },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "tc1",
        toolName: "search_code",
        output: { type: "text", value: "pay/retry.ts:14 maxRetries = 0\npay/retry.ts:40 backoff()" },
      },
      {
        type: "tool-result",
        toolCallId: "tc2",
        toolName: "query_db",
        output: { type: "error-text", value: "connection timed out" },
      },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "", providerOptions: { anthropic: { signature: "c2lnLTI=" } } },
      { type: "tool-call", toolCallId: "tc3", toolName: "render_chart", input: { metric: "errors" } },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "tc3",
        toolName: "render_chart",
        output: {
          type: "content",
          value: [
            { type: "text", text: "Errors by hour" },
            { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw0KGgo=" } },
          ],
        },
      },
    ],
  },
  { role: "assistant", content: "maxRetries is 0, so nothing is retried." },
];

export const aiSdkUi: UIMessage[] = [
  {
    id: "u1",
    role: "user",
    parts: [{ type: "text", text: "Why do retries fail? Check code, orders table and the error chart." }],
  },
  {
    id: "a1",
    role: "assistant",
    metadata: { model: "any" },
    parts: [
      { type: "step-start" },
      {
        type: "reasoning",
        text: "Two lookups can run side by side.",
        state: "done",
        providerMetadata: { anthropic: { signature: "c2lnLTE=" } },
      },
      { type: "text", text: "Checking both.", state: "done" },
      {
        type: "tool-search_code",
        toolCallId: "tc1",
        state: "output-available",
        input: { pattern: "retry" },
        output: "pay/retry.ts:14 maxRetries = 0\npay/retry.ts:40 backoff()",
      },
      {
        type: "tool-query_db",
        toolCallId: "tc2",
        state: "output-error",
        input: { table: "orders" },
        errorText: "connection timed out",
      },
      { type: "step-start" },
      {
        type: "reasoning",
        text: "The chart is next.",
        state: "done",
        providerMetadata: { anthropic: { signature: "c2lnLTI=" } },
      },
      {
        type: "dynamic-tool",
        toolName: "render_chart",
        toolCallId: "tc3",
        state: "output-available",
        input: { metric: "errors" },
        output: {
          content: [
            { type: "text", text: "Errors by hour" },
            { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
          ],
        },
      },
      { type: "step-start" },
      { type: "text", text: "maxRetries is 0, so nothing is retried.", state: "done" },
    ],
  },
];

export const gemini: Content[] = [
  { role: "user", parts: [{ text: "Why do retries fail? Check code, orders table and the error chart." }] },
  {
    role: "model",
    parts: [
      { text: "Two lookups can run side by side.", thought: true },
      { text: "Checking both." },
      { functionCall: { id: "f1", name: "search_code", args: { pattern: "retry" } }, thoughtSignature: "c2lnLTE=" },
      { functionCall: { id: "f2", name: "query_db", args: { table: "orders" } } },
    ],
  },
  {
    role: "user",
    parts: [
      {
        functionResponse: {
          id: "f1",
          name: "search_code",
          response: { output: "pay/retry.ts:14 maxRetries = 0\npay/retry.ts:40 backoff()" },
        },
      },
      { functionResponse: { id: "f2", name: "query_db", response: { error: "connection timed out" } } },
    ],
  },
  {
    role: "model",
    parts: [
      { functionCall: { id: "f3", name: "render_chart", args: { metric: "errors" } }, thoughtSignature: "c2lnLTI=" },
    ],
  },
  {
    role: "user",
    parts: [
      {
        functionResponse: {
          id: "f3",
          name: "render_chart",
          response: { output: "Errors by hour" },
          parts: [{ inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }],
        },
      },
    ],
  },
  { role: "model", parts: [{ text: "maxRetries is 0, so nothing is retried.", thoughtSignature: "c2lnLTM=" }] },
];
