import { compactMessages, decideMessages, inspectMessages, viewMessages } from "keepline/anthropic";
import { type Adapter, type FormatCheck, validator } from "./format.js";
import type { Random } from "./random.js";
import { idsOf, type Script, type ScriptCall, type ScriptStep } from "./script.js";

const think = (random: Random, number: number) =>
  random.chance(0.2)
    ? { type: "redacted_thinking", data: `enc${number}` }
    : { type: "thinking", thinking: random.pick(["", "Two lookups."]), signature: `sig${number}` };

function use(call: ScriptCall, random: Random): object {
  return {
    type: "tool_use",
    id: call.id,
    name: call.tool,
    input: call.input,
    ...(random.chance(0.05) && { cache_control: { type: "ephemeral" } }),
    ...(random.chance(0.2) && { caller: { type: "direct" } }),
  };
}

function assistant(step: ScriptStep, random: Random, thinks: boolean): object {
  const content: object[] = [];
  const thinking = thinks ? step.thinking : 0;
  for (let index = 0; index < thinking; index++) content.push(think(random, step.number * 10 + index));
  if (step.text !== undefined) content.push({ type: "text", text: step.text });
  const server = step.calls.find((call) => call.server);
  if (server) {
    content.push({ type: "server_tool_use", id: `srvtoolu_${step.number}`, name: "web_search", input: {} });
    content.push({ type: "web_search_tool_result", tool_use_id: `srvtoolu_${step.number}`, content: [] });
  }
  step.calls.forEach((call, index) => {
    if (thinks && step.rethinks && index > 0) content.push(think(random, step.number * 100 + index));
    const tied = call.tied && server;
    content.push({
      ...use(call, random),
      ...(tied && { caller: { type: "code_execution_20250825", tool_id: `srvtoolu_${step.number}` } }),
      ...(call.tied && !server && { toolset_name: "browser" }),
    });
  });
  return { role: "assistant", content };
}

function result(call: ScriptCall, random: Random, hasServer: boolean): object {
  const texts = call.texts.map((text) => ({
    type: "text",
    text,
    ...(random.chance(0.2) && { cache_control: { type: "ephemeral" } }),
  }));
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
  const list = call.form === "list" || call.failed ? texts : [...texts, image];
  const content = call.form === "text" || call.form === "json" ? call.texts[0] : list;
  return {
    type: "tool_result",
    tool_use_id: call.id,
    ...(call.form !== "empty" && { content }),
    ...(call.failed ? { is_error: true } : random.chance(0.2) && { is_error: false }),
    ...(call.tied && !hasServer && { toolset_name: "browser" }),
  };
}

function write({ items }: Script, random: Random) {
  const thinks = random.chance(0.6);
  const messages = items.flatMap<object>((item, index) => {
    switch (item.kind) {
      case "system":
        return index === 0 ? [] : [{ role: "system", content: item.text }];
      case "user":
        return [
          item.multimodal
            ? {
                role: "user",
                content: [
                  { type: "text", text: item.text },
                  { type: "document", source: {} },
                ],
              }
            : { role: "user", content: item.text },
        ];
      case "reply":
        return [
          {
            role: "assistant",
            content: [
              ...(thinks && item.thinking > 0 ? [think(random, item.number * 10)] : []),
              { type: "text", text: item.text },
            ],
          },
        ];
      default: {
        const results = item.calls.map((call) =>
          result(
            call,
            random,
            item.calls.some(({ server }) => server),
          ),
        );
        if (random.chance(0.3)) results.reverse();
        const beside = item.beside === undefined ? [] : [{ type: "text", text: item.beside }];
        return [assistant(item, random, thinks), { role: "user", content: [...results, ...beside] }];
      }
    }
  });
  const binding = random.pick(["ignore", "error", "strip", "drop_block"]);
  return {
    messages,
    untouchable: idsOf(items, ({ tied }) => tied),
    runtime: {
      ...(random.chance(0.3) && { protectCurrentTurn: random.pick(["all", "calls", false]) }),
      ...(binding === "error" && { prefixMismatch: "error" }),
      ...(binding === "drop_block" && { prefixMismatch: "drop_block" }),
      ...(binding === "strip" && { stripThinkingAfterEdit: true, prefixMismatch: random.pick(["error", "ignore"]) }),
    },
    validation: { preservedThinking: binding === "error" || binding === "strip" },
  };
}

/** A system message inside the list stands behind a message of the user, where it did. */
function systemsPlace(before: readonly object[], after: readonly object[]): string[] {
  const behindUser = (list: readonly object[]) =>
    list.map((message, index) => {
      const { role } = message as { role: string };
      return role === "system" ? (list[index - 1] as { role?: string } | undefined)?.role === "user" : undefined;
    });
  const [old, now] = [behindUser(before), behindUser(after)].map((list) => list.filter((place) => place !== undefined));
  return (old as boolean[]).some((place, index) => place && now?.[index] !== true)
    ? ["a system message lost its user"]
    : [];
}

export const anthropic = async (): Promise<FormatCheck> => ({
  name: "anthropic",
  adapter: { compactMessages, decideMessages, inspectMessages, viewMessages } as unknown as Adapter,
  validate: await validator("anthropic"),
  protects: "calls",
  write,
  also: systemsPlace,
});
