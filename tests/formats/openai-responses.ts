import { compactMessages, decideMessages, inspectMessages, viewMessages } from "keepline/openai-responses";
import { type Adapter, type FormatCheck, type History, validator } from "./format.js";
import type { Random } from "./random.js";
import type { Script, ScriptCall, ScriptStep } from "./script.js";

class Writer {
  readonly items: object[] = [];
  private number = 0;

  constructor(
    private readonly random: Random,
    private readonly reasons: boolean,
  ) {}

  reasoning(): void {
    if (!this.reasons) return;
    const number = this.number++;
    this.items.push({ type: "reasoning", id: `rs_${number}`, summary: [], encrypted_content: `enc${number}` });
  }

  /** What the assistant says; not every item has an id. */
  message(text: string): void {
    const content = [{ type: "output_text", text, annotations: [] }];
    const id = this.random.chance(0.7) ? { id: `msg_${this.number++}` } : {};
    this.items.push({ type: "message", ...id, role: "assistant", status: "completed", content });
  }

  private call(call: ScriptCall): object {
    if (call.tied && call.form === "mixed")
      return {
        type: "custom_tool_call",
        id: `ct_${this.number++}`,
        call_id: call.id,
        name: call.tool,
        input: '{"a":1}',
      };
    return {
      type: "function_call",
      ...(this.random.chance(0.8) && { id: `fc_${this.number++}` }),
      call_id: call.id,
      name: call.tool,
      arguments: JSON.stringify(call.input),
      ...(this.random.chance(0.6) && { status: "completed" }),
      ...(call.tied && { caller: { type: "program", caller_id: "p1" } }),
      ...(call.approval === "denied" && { async: true }),
    };
  }

  private output(call: ScriptCall): object {
    const parts: object[] = call.texts.map((text) => ({
      type: "input_text",
      text,
      ...(this.random.chance(0.1) && { prompt_cache_breakpoint: { type: "ephemeral" } }),
    }));
    const image = { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "auto" };
    const text = call.failed ? JSON.stringify({ error: call.texts[0] }) : call.texts[0];
    const isCustom = call.tied && call.form === "mixed";
    return {
      type: isCustom ? "custom_tool_call_output" : "function_call_output",
      call_id: call.id,
      output:
        call.form === "list" ? parts : call.form === "mixed" ? [...parts, image] : call.form === "empty" ? "" : text,
      ...(call.tied && !isCustom && { caller: { type: "program", caller_id: "p1" } }),
      ...(this.random.chance(0.05) && { status: "incomplete" }),
    };
  }

  step(step: ScriptStep): void {
    for (let index = 0; index < Math.min(1, step.thinking); index++) this.reasoning();
    if (step.text !== undefined) this.message(step.text);
    const answered = step.calls.filter((call) => call.approval !== "denied");
    if (step.rethinks) {
      // One call after the other, each with its reasoning.
      for (const call of answered) {
        if (this.items.at(-1) !== undefined && (this.items.at(-1) as { type: string }).type !== "reasoning")
          this.reasoning();
        this.items.push(this.call(call), this.output(call));
      }
      if (answered.length === 0 && step.thinking > 0 && step.text === undefined) this.message("So.");
      return;
    }
    if (this.random.chance(0.2)) {
      // One response, and a loop that writes each output right behind its call.
      for (const call of answered) this.items.push(this.call(call), this.output(call));
      if (answered.length === 0 && step.thinking > 0 && step.text === undefined) this.message("So.");
      return;
    }
    for (const call of step.calls) {
      if (call.server) this.items.push({ type: "web_search_call", id: `ws_${this.number++}`, status: "completed" });
      this.items.push(this.call(call));
    }
    const outputs = answered.map((call) => this.output(call));
    if (this.random.chance(0.3)) outputs.reverse();
    this.items.push(...outputs);
  }
}

function write({ items }: Script, random: Random): History {
  const writer = new Writer(random, random.chance(0.7));
  const user = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
  for (const item of items) {
    switch (item.kind) {
      case "system":
        writer.items.push({ role: random.pick(["system", "developer"]), content: item.text });
        break;
      case "user":
        writer.items.push(random.chance(0.3) ? { role: "user", content: item.text } : user(item.text));
        if (writer.items.length <= 2)
          writer.items.push({ type: "program", id: "pr_1", call_id: "p1", code: "", fingerprint: "f" });
        break;
      case "reply":
        if (item.thinking > 0) writer.reasoning();
        writer.message(item.text);
        break;
      default:
        writer.step(item);
        if (random.chance(0.05)) writer.items.push({ type: "compaction", encrypted_content: "x" });
    }
  }
  return {
    messages: writer.items,
    untouchable: writer.items.flatMap((item) => {
      const { type, caller, call_id } = item as { type: string; caller?: object; call_id: string };
      return caller !== undefined || type === "custom_tool_call" ? [call_id] : [];
    }),
    runtime: {
      ...(random.chance(0.1) && {
        isError: ({ output }: { output: unknown }) => `${JSON.stringify(output)}`.includes("x"),
      }),
      ...(random.chance(0.2) && { protectCurrentTurn: random.pick(["all", "calls", false]) }),
    },
  };
}

/** Reasoning stays while something that was stored with it stays, and is never left without what it led to. */
function reasoningStays(before: readonly object[], after: readonly object[]): string[] {
  type Item = { type?: string; role?: string; id?: string };
  const left = new Set(after.map((item) => (item as Item).id));
  const found: string[] = [];
  let leads: (string | undefined)[] = [];
  let isLed = false;
  for (const item of before as Item[]) {
    if (item.type === "reasoning") {
      if (isLed) leads = [];
      isLed = false;
      leads.push(item.id);
    } else if (item.role !== undefined) {
      // What is said ends a response, unless it comes right behind the reasoning.
      if (isLed || item.role !== "assistant") leads = [];
    } else if (item.type?.endsWith("_output") !== true) {
      isLed = true;
      if (item.id !== undefined && left.has(item.id) && leads.some((id) => !left.has(id)))
        found.push(`${item.id} lost its reasoning`);
    }
  }
  return found;
}

export const openaiResponses = async (): Promise<FormatCheck> => ({
  name: "openai-responses",
  adapter: { compactMessages, decideMessages, inspectMessages, viewMessages } as unknown as Adapter,
  validate: await validator("openai-responses"),
  protects: false,
  write,
  also: reasoningStays,
});
