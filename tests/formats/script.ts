/** A random conversation, before it is written in a format. */
import type { Random } from "./random.js";

export interface ScriptCall {
  id: string;
  tool: string;
  input: Record<string, unknown>;
  form: "text" | "list" | "mixed" | "json" | "empty";
  texts: string[];
  failed: boolean;
  /** The user was asked. */
  approval: "none" | "granted" | "denied";
  /** The provider ran it. */
  server: boolean;
  /** It is tied to something: a program called it, or its like in a format. */
  tied: boolean;
}

export interface ScriptStep {
  kind: "step";
  /** Blocks of thinking before the calls. */
  thinking: number;
  text: string | undefined;
  /** Thinking once more, between the calls. */
  rethinks: boolean;
  calls: ScriptCall[];
  /** What the user says beside the results. */
  beside: string | undefined;
  /** Number of the step, for ids. */
  number: number;
}

export type ScriptItem =
  | { kind: "user"; text: string; multimodal: boolean }
  | { kind: "system"; text: string }
  | { kind: "reply"; thinking: number; text: string; number: number }
  | ScriptStep;

export interface Script {
  items: ScriptItem[];
  /** Whose signatures the thinking carries. */
  provider: "anthropic" | "openai" | "google" | "none";
  /** Whether the last step is still open. */
  open: boolean;
}

export const TOOLS = ["read", "search", "list", "write"];

/** Ids of the calls of each step that all hang on one piece of reasoning, or on one signature. */
export function together({ items }: Script, isOne: (step: ScriptStep) => boolean): string[][] {
  const steps = items.filter((item): item is ScriptStep => item.kind === "step" && isOne(item));
  const ids = steps.map(({ calls }) => calls.filter(({ server }) => !server).map(({ id }) => id));
  return ids.filter((group) => new Set(group).size > 1);
}

/** Ids of the calls that are so. */
export function idsOf(items: readonly ScriptItem[], isSo: (call: ScriptCall) => boolean): string[] {
  const calls = items.flatMap((item) => (item.kind === "step" ? item.calls : []));
  return calls.filter(isSo).map(({ id }) => id);
}

function call(random: Random, used: string[], number: string): ScriptCall {
  const again = used.length > 0 && random.chance(0.04);
  const id = again ? random.pick(used) : `c${number}`;
  used.push(id);
  const form = random.pick(["text", "text", "text", "list", "list", "mixed", "json", "empty"] as const);
  return {
    id,
    tool: random.pick(TOOLS),
    input: random.chance(0.1) ? {} : { path: random.text(4), n: random.below(9) },
    form,
    texts: Array.from({ length: 1 + random.below(3) }, () => random.text(40)),
    failed: random.chance(0.15),
    approval: random.chance(0.85) ? "none" : random.chance(0.7) ? "granted" : "denied",
    server: random.chance(0.08),
    tied: random.chance(0.06),
  };
}

/** A conversation that ends with the user, or in the middle of a tool loop. */
export function script(random: Random): Script {
  const items: ScriptItem[] = [];
  const used: string[] = [];
  if (random.chance(0.4)) items.push({ kind: "system", text: "You plan bus lines." });
  items.push({ kind: "user", text: random.text(6), multimodal: false });
  const turns = 1 + random.below(4);
  let number = 0;
  for (let turn = 0; turn < turns; turn++) {
    const steps = random.below(5);
    for (let step = 0; step < steps; step++) {
      number++;
      items.push({
        kind: "step",
        thinking: random.chance(0.5) ? 1 + random.below(2) : 0,
        text: random.chance(0.4) ? random.text(6) : undefined,
        rethinks: random.chance(0.15),
        calls: Array.from({ length: 1 + (random.chance(0.5) ? random.below(3) : 0) }, (_, index) =>
          call(random, used, `${number}_${index}`),
        ),
        beside: random.chance(0.08) ? random.text(4) : undefined,
        number,
      });
      if (random.chance(0.05)) items.push({ kind: "system", text: random.text(4) });
    }
    number++;
    if (turn < turns - 1 || random.chance(0.6)) {
      items.push({ kind: "reply", thinking: random.chance(0.4) ? 1 : 0, text: random.text(6), number });
      items.push({ kind: "user", text: random.text(6), multimodal: random.chance(0.2) });
    }
  }
  const provider = random.pick(["anthropic", "openai", "google", "none"] as const);
  return { items, provider, open: items.at(-1)?.kind === "step" };
}
