/** The canonical format, by the functions of the root. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  applyDecisions,
  type CompactionRequest,
  compactContext,
  inspectRequests,
  type Message,
  type RuntimeOptions,
} from "keepline";
import { type Adapter, type FormatCheck, folder, type History, type Settings, validator } from "./format.js";
import type { Random } from "./random.js";
import type { Script, ScriptCall, ScriptStep } from "./script.js";

/** The root takes its messages in the request, and copies them unless it is told otherwise. */
async function adapter(): Promise<Adapter> {
  const { agentscope } = await import(pathToFileURL(join(folder, "view.mjs")).href);
  const requestOf = (messages: readonly object[], settings: Settings) =>
    ({ ...settings, messages }) as unknown as CompactionRequest<Message>;
  const sharing = (runtime: object | undefined): RuntimeOptions => ({ shareUnchanged: true, ...runtime });
  return {
    compactMessages: (messages, settings, model, runtime) =>
      compactContext(requestOf(messages, settings), model, sharing(runtime)),
    decideMessages: (messages, settings, decisions, runtime) =>
      applyDecisions(requestOf(messages, settings), decisions, sharing(runtime)),
    inspectMessages: (messages, settings, options) => inspectRequests(requestOf(messages, settings), options),
    viewMessages: agentscope,
  };
}

/** How a provider's formatter signs the thinking of a step; blocks of one reasoning item share its id. */
const MARKS: Readonly<Record<Script["provider"], (number: number, index: number) => object>> = {
  anthropic: (number, index) => ({ signature: `sig${number}_${index}` }),
  openai: (number) => ({ reasoning_item_id: `rs_${number}` }),
  google: () => ({}),
  none: () => ({}),
};

function call({ id, tool, input }: ScriptCall, isOpen: boolean, random: Random): object {
  const state = isOpen ? random.pick(["pending", "asking", "allowed", "submitted", undefined]) : "finished";
  return {
    type: "tool_call",
    id,
    name: tool,
    input: isOpen && random.chance(0.2) ? '{"path":"a' : JSON.stringify(input),
    ...(state !== undefined && { state }),
    ...(random.chance(0.1) && { suggested_rules: [{ tool, allow: true }] }),
  };
}

function result({ id, tool, form, texts, failed, approval }: ScriptCall, random: Random): object {
  const blocks: object[] = texts.map((text, index) => ({ type: "text", id: `${id}_b${index}`, text }));
  if (form === "mixed")
    blocks.push({ type: "data", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } });
  const output = { text: texts[0], json: JSON.stringify(texts), empty: "", list: blocks, mixed: blocks }[form];
  const state = approval === "denied" ? "denied" : failed ? random.pick(["error", "interrupted"]) : "success";
  return {
    type: "tool_result",
    id,
    name: tool,
    output,
    state,
    ...(random.chance(0.2) && { metadata: { took: random.below(900) } }),
  };
}

function blocksOf(step: ScriptStep, isOpen: boolean, provider: Script["provider"], random: Random): object[] {
  let count = 0;
  const think = () => ({ type: "thinking", thinking: "Two lookups.", ...MARKS[provider](step.number, count++) });
  const blocks: object[] = Array.from({ length: step.thinking }, think);
  if (step.text !== undefined) blocks.push({ type: "text", text: step.text });
  if (random.chance(0.05)) blocks.push({ type: "hint", hint: "Mind the budget.", source: "host" });
  // A run that was resumed, or that answers each call before it makes the next one.
  const isMixed = random.chance(0.2);
  const results: object[] = [];
  step.calls.forEach((one, index) => {
    if (step.rethinks && index > 0) blocks.push(think());
    const open = isOpen && random.chance(0.5);
    blocks.push(call(one, open, random));
    if (!open) (isMixed ? blocks : results).push(result(one, random));
  });
  if (random.chance(0.3)) results.reverse();
  return [...blocks, ...results];
}

function write({ items, provider, open }: Script, random: Random): History {
  const messages: { id?: string; name: string; role: string; content: object[] }[] = [];
  const add = (role: string, content: object[]) =>
    messages.push({ ...(random.chance(0.9) && { id: `m${messages.length}` }), name: role, role, content });
  // One message for a whole reply, or one a step, as after a resumed run.
  const isOnePerReply = random.chance(0.6);
  const speak = (content: object[]) => {
    const last = messages.at(-1);
    if (isOnePerReply && last?.role === "assistant") last.content.push(...content);
    else add("assistant", content);
  };
  items.forEach((item, index) => {
    if (item.kind === "system") add("system", [{ type: "text", text: item.text }]);
    else if (item.kind === "user") {
      const picture = {
        type: "data",
        source: { type: "url", url: "https://example.com/a.png", media_type: "image/png" },
      };
      add("user", [{ type: "text", text: item.text }, ...(item.multimodal ? [picture] : [])]);
    } else if (item.kind === "reply") {
      const thinking = Array.from({ length: item.thinking }, (_, at) => ({
        type: "thinking",
        thinking: "Done.",
        ...MARKS[provider](item.number, at),
      }));
      speak([...thinking, { type: "text", text: item.text }]);
    } else {
      speak(blocksOf(item, open && index === items.length - 1, provider, random));
      if (item.beside !== undefined) add("user", [{ type: "text", text: item.beside }]);
    }
  });
  const thinking_with_call = random.pick(["keep", "drop"] as const);
  return {
    messages,
    runtime: {},
    options: { thinking_with_call },
    // Thinking that stays alone is what `keep` asks for.
    ...(thinking_with_call === "keep" && { accepted: ["AS7"] }),
  };
}

/** Thinking is never changed, and where it is to stay, all of it stays. */
function thinkingStays(before: readonly object[], after: readonly object[], { options }: History): string[] {
  const thoughts = (messages: readonly object[]) =>
    (messages as { content: { type: string }[] }[]).flatMap(({ content }) =>
      content.filter(({ type }) => type === "thinking").map((block) => JSON.stringify(block)),
    );
  const [old, now] = [thoughts(before), thoughts(after)];
  if (options?.thinking_with_call === "keep")
    return JSON.stringify(old) === JSON.stringify(now) ? [] : ["thinking did not stay"];
  let at = 0;
  for (const thought of now) {
    at = old.indexOf(thought, at) + 1;
    if (at === 0) return [`thinking that was not there: ${thought}`];
  }
  return [];
}

export const agentscope = async (): Promise<FormatCheck> => ({
  name: "agentscope",
  adapter: await adapter(),
  validate: await validator("agentscope"),
  protects: false,
  write,
  also: thinkingStays,
});
