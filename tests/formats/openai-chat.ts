import { compactMessages, decideMessages, inspectMessages, viewMessages } from "keepline/openai-chat";
import { type Adapter, type FormatCheck, validator } from "./format.js";
import type { Random } from "./random.js";
import { idsOf, type Script, type ScriptCall, type ScriptStep } from "./script.js";

function assistant(step: ScriptStep, random: Random, google: boolean): object {
  const list = random.chance(0.2) && step.text !== undefined;
  const content =
    step.text === undefined
      ? random.pick([null, "", [{ type: "text", text: "" }]])
      : list
        ? [{ type: "text", text: step.text }]
        : step.text;
  return {
    role: "assistant",
    ...(random.chance(0.9) || step.text !== undefined ? { content } : {}),
    ...(step.thinking > 0 && { reasoning_content: "Two lookups." }),
    tool_calls: step.calls.map((call, index) => ({
      id: call.id,
      ...(call.tied
        ? { type: "custom", custom: { name: call.tool, input: random.pick(["free text", '{"a":1}']) } }
        : { type: "function", function: { name: call.tool, arguments: JSON.stringify(call.input) } }),
      ...(google && index === 0 && { extra_content: { google: { thought_signature: "c2ln" } } }),
    })),
  };
}

function result(call: ScriptCall, random: Random): object {
  const text = call.failed ? JSON.stringify({ error: call.texts[0] }) : call.texts[0];
  const parts = call.texts.map((text, index) => ({
    type: "text",
    text,
    ...(index > 0 && random.chance(0.3) && { prompt_cache_breakpoint: { type: "ephemeral" } }),
  }));
  const content = call.form === "list" || call.form === "mixed" ? parts : call.form === "empty" ? "" : text;
  return { role: "tool", tool_call_id: call.id, content, ...(random.chance(0.1) && { name: call.tool }) };
}

function write({ items, provider }: Script, random: Random) {
  const messages = items.flatMap<object>((item) => {
    switch (item.kind) {
      case "system":
        return [{ role: random.pick(["system", "developer"]), content: item.text }];
      case "user":
        return [
          item.multimodal
            ? {
                role: "user",
                content: [
                  { type: "text", text: item.text },
                  { type: "image_url", image_url: { url: "x" } },
                ],
              }
            : { role: "user", content: item.text },
        ];
      case "reply":
        return [{ role: "assistant", content: item.text, ...(item.thinking > 0 && { reasoning_content: "So." }) }];
      default: {
        const results = item.calls.map((call) => result(call, random));
        if (random.chance(0.3)) results.reverse();
        return [assistant(item, random, provider === "google"), ...results];
      }
    }
  });
  return {
    messages,
    untouchable: idsOf(items, ({ tied }) => tied),
    runtime: {
      ...(random.chance(0.1) && {
        isError: ({ content }: { content: unknown }) => `${JSON.stringify(content)}`.includes("x"),
      }),
      ...(random.chance(0.2) && { protectCurrentTurn: random.pick(["all", "calls", false]) }),
      ...(random.chance(0.1) && { shareUnchanged: true }),
      ...(random.chance(0.2) && { mergeModelTurns: true }),
    },
  };
}

export const openaiChat = async (): Promise<FormatCheck> => ({
  name: "openai-chat",
  adapter: { compactMessages, decideMessages, inspectMessages, viewMessages } as unknown as Adapter,
  validate: await validator("openai-chat"),
  protects: false,
  write,
});
