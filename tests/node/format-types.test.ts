/** The vendors' own types go in and come out, without a cast. Mostly the compiler is the test. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type { BetaMessageParam } from "@anthropic-ai/sdk/resources/beta/messages";
import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import type { Content } from "@google/genai";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { ModelMessage, UIMessage } from "ai";
import type { ModelMessage as ModelMessage5 } from "ai-v5";
import type { ModelMessage as ModelMessage6, UIMessage as UIMessage6 } from "ai-v6";
import { type CompactionResult, localDecisionModel } from "keepline";
import * as aiSdk from "keepline/ai-sdk";
import * as anthropic from "keepline/anthropic";
import * as gemini from "keepline/gemini";
import * as langchain from "keepline/langchain";
import * as openaiChat from "keepline/openai-chat";
import * as openaiResponses from "keepline/openai-responses";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { samples as folder } from "../formats/format.js";
import * as samples from "../formats/samples.js";

const settings = { goal: "Go on", eligible_tool_names: ["search_code"], options: { preserve_recent_messages: 1 } };
const model = localDecisionModel();

it("the samples in the vendors' types are those of the validators", () => {
  const files = {
    "openai-chat": samples.openaiChat,
    "openai-responses": samples.openaiResponses,
    anthropic: samples.anthropic,
    "ai-sdk-model": samples.aiSdkModel,
    "ai-sdk-ui": samples.aiSdkUi,
    gemini: samples.gemini,
  };
  for (const [name, sample] of Object.entries(files))
    assert.deepEqual(sample, JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")), name);
});

it("messages keep their type", async () => {
  const chat: ChatCompletionMessageParam[] = (await openaiChat.compactMessages(samples.openaiChat, settings, model))
    .messages;
  const items: ResponseInputItem[] = (await openaiResponses.compactMessages(samples.openaiResponses, settings, model))
    .messages;
  const claude: MessageParam[] = (await anthropic.compactMessages(samples.anthropic, settings, model)).messages;
  const sent: ModelMessage[] = (await aiSdk.compactMessages(samples.aiSdkModel, settings, model)).messages;
  const page: UIMessage[] = (await aiSdk.compactMessages(samples.aiSdkUi, settings, model)).messages;
  const contents: Content[] = (await gemini.compactMessages(samples.gemini, settings, model)).messages;
  const history: BaseMessage[] = [
    new HumanMessage("Go."),
    new AIMessage({ content: "", tool_calls: [{ id: "c1", name: "search_code", args: {} }] }),
    new ToolMessage({ tool_call_id: "c1", content: "x" }),
  ];
  const instances: BaseMessage[] = (await langchain.compactMessages(history, settings, model)).messages;
  for (const list of [chat, items, claude, sent, page, contents, instances]) assert.ok(list.length > 0);
});

it("a host's own message type is the result's", async () => {
  type Mine = UIMessage<{ model: string }, { chart: { rows: number[] } }>;
  const mine: Mine[] = [{ id: "u1", role: "user", metadata: { model: "any" }, parts: [{ type: "text", text: "Go." }] }];
  const result: CompactionResult<Mine> = await aiSdk.compactMessages(mine, settings, model, {
    messageId: ({ metadata }) => metadata?.model,
  });
  assert.equal(result.messages[0], mine[0]);
  const beta: BetaMessageParam[] = [{ role: "user", content: "Go." }];
  assert.deepEqual((await anthropic.compactMessages(beta, settings, model)).messages, beta);
  const old: (ModelMessage5 | ModelMessage6)[] = [{ role: "user", content: "Go." }];
  assert.equal((await aiSdk.inspectMessages(old as ModelMessage5[] as ModelMessage[], settings)).length, 0);
  const six: UIMessage6[] = [{ id: "u1", role: "user", parts: [{ type: "text", text: "Go." }] }];
  assert.equal(aiSdk.viewMessages(six).length, 1);
  const stored = [{ type: "human", content: "Go." }];
  assert.equal(langchain.viewMessages(stored)[0]?.role, "user");
});

it("switches know what they get", async () => {
  const isError = ({ content }: { content: unknown }) => content === "no";
  await openaiChat.compactMessages(samples.openaiChat, settings, model, { isError, protectCurrentTurn: "calls" });
  await openaiResponses.compactMessages(samples.openaiResponses, settings, model, {
    isError: ({ output }) => output === "",
  });
  await gemini.compactMessages(samples.gemini, settings, model, { isError: ({ response }) => response === undefined });
  // @ts-expect-error: this format says itself what failed
  const refused = anthropic.compactMessages(samples.anthropic, settings, model, { isError });
  await assert.rejects(refused, /no field "isError"/);
});
