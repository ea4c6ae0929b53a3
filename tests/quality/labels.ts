/**
 * What the future of a session needed of its calls, without a model: text that turns up later in the agent's words or inputs,
 * and that nothing else retained could have given it (the provenance rule of the study's labels).
 */
import { evidenceOf, longLinesOf, runsOf, type Strength, strengthOf, wordsOf } from "./evidence.js";
import { blocksOf, type Exchange, exchangesOf, inputText, outputText, type Session } from "./session.js";

/** Code points that a shortened output keeps. */
const KEPT = 300;

/** Where a session is cut: shares of its messages. */
const CUTS = [0.35, 0.5, 0.65, 0.8];
/** Messages before and after a cut, at least. */
const BEFORE = 6;
const AFTER = 2;

/** A token is evidence where at most this share of the sessions, or this many, have it. */
const RARE_SHARE = 0.05;
const RARE_SESSIONS = 3;

/** The words of a call that changes something. */
const CHANGES =
  /(?:^|_)(?:edit|write|create|update|cancel|book|delete|send|modify|post|place|pay|close|add|remove|move|insert|submit|return|exchange|transfer|deploy|apply)(?:_|$)/i;
const SHELL = /^(?:bash|run|execute_bash|shell|terminal|str_replace_editor)$/;
const SHELL_CHANGES =
  /(?:^|[;&|\n])\s*(?:sudo\s+)?(?:sed -i|rm|mv|cp|mkdir|touch|patch|tee|git (?:apply|checkout|stash|reset|commit|restore|add)|pip install|apt|npm i|chmod|create|edit|insert|submit)\b|>>?\s*(?!\/dev\/null)[^\s&>]|write_text|open\([^)]*['"][wa]['"]/m;
const PATH = /[A-Za-z0-9_\-.~]*(?:\/[A-Za-z0-9_\-.]+)+|[A-Za-z0-9_-]+\.[a-z]{1,4}\b/g;

/** Whether a call changes something, by its name or its command. */
export function isMutating({ name, input }: Pick<Exchange, "name" | "input">): boolean {
  return CHANGES.test(name) || (SHELL.test(name) && SHELL_CHANGES.test(input));
}

/** The labels of one snapshot. */
export interface Labels {
  needed: Set<string>;
  neededCalls: Set<string>;
  mutating: Set<string>;
  candidates: number;
}

/** How many sessions of a set have each token: what many have proves nothing. */
export class Rarity {
  private readonly sessions = new Map<string, number>();
  private readonly limit: number;

  constructor(sessions: readonly Session[]) {
    for (const { messages } of sessions) {
      const tokens = new Set(messages.flatMap(blocksOf).flatMap((block) => [...evidenceOf(textOf(block))]));
      for (const token of tokens) this.sessions.set(token, (this.sessions.get(token) ?? 0) + 1);
    }
    this.limit = Math.max(RARE_SESSIONS, RARE_SHARE * sessions.length);
  }

  /** The tokens of a text that few sessions have. */
  evidence(text: string): Set<string> {
    return new Set([...evidenceOf(text)].filter((token) => (this.sessions.get(token) ?? 0) <= this.limit));
  }
}

function textOf({ type, text, input, output }: ReturnType<typeof blocksOf>[number]): string {
  if (type === "text") return text ?? "";
  if (type === "tool_call") return inputText(input);
  return type === "tool_result" ? outputText(output) : "";
}

/** Messages at which a session is cut, and how many at the end are then protected. */
export function cutsOf({ messages }: Session): { at: number; recent: number }[] {
  const places = new Set(CUTS.map((share) => Math.round(share * messages.length)));
  return [...places]
    .filter((at) => at >= BEFORE && messages.length - at >= AFTER)
    .map((at) => ({ at, recent: Math.min(6, Math.max(2, Math.floor(at / 4))) }));
}

/** Text by which a use is proved: tokens, lines and runs of words. */
interface Proof {
  tokens: Set<string>;
  lines: Set<string>;
  runs: Set<string>;
}

/** What was taken of an output. */
interface Use {
  tokens: Map<string, Strength>;
  verbatim: boolean;
  /** Plain numbers by the step that took them. */
  numbers: number;
}

/** Stands for all that stays whatever becomes of the candidates. */
const OTHERS = -1;

/** What the agent still has when outputs are shortened, and what it gets later; and which candidate gives what nothing else does. */
class Retained {
  private readonly givers: Record<keyof Proof, Map<string, number>> = {
    tokens: new Map(),
    lines: new Map(),
    runs: new Map(),
  };
  private readonly words = new Set<string>();

  /** Adds a text that a candidate gives, by its number, or that stays. */
  add(text: string, giver = OTHERS): void {
    const found = { tokens: evidenceOf(text), lines: longLinesOf(text), runs: runsOf(text) };
    for (const kind of KINDS)
      for (const item of found[kind]) {
        // Of several candidates the last one counts.
        const stays = this.givers[kind].get(item) === OTHERS;
        this.givers[kind].set(item, stays ? OTHERS : giver);
      }
    for (const word of wordsOf(text)) this.words.add(word);
  }

  /** What of a proof came from elsewhere. */
  unknown(proof: Proof): Proof {
    const without = (kind: keyof Proof) => [...proof[kind]].filter((item) => !this.givers[kind].has(item));
    const isNew = (run: string) => new Set(run.split(" ").filter((word) => !this.words.has(word))).size >= 3;
    return {
      tokens: new Set(without("tokens")),
      lines: new Set(without("lines")),
      runs: new Set(without("runs").filter(isNew)),
    };
  }

  /** The candidate that gives something that stays nowhere else, if one does. */
  giver(kind: keyof Proof, item: string): number {
    return this.givers[kind].get(item) ?? OTHERS;
  }
}

const KINDS = ["tokens", "lines", "runs"] as const;

/** A candidate as a source of proof. */
class Source {
  /** What was taken of the output beyond what stays of it. */
  readonly ofOutput: Use = newUse();
  /** What was taken of anything that only this call gives. */
  readonly ofCall: Use = newUse();
  private readonly output: Proof;
  private readonly kept: Proof;

  constructor(exchange: Exchange, rarity: Rarity) {
    this.output = proofOf(exchange.output, rarity);
    this.kept = proofOf(`${head(exchange.output)}\n${exchange.input}`, rarity);
  }

  /** Whether the output has something beyond what stays of it. */
  has(kind: keyof Proof, item: string): boolean {
    return this.output[kind].has(item) && !this.kept[kind].has(item);
  }
}

const newUse = (): Use => ({ tokens: new Map(), verbatim: false, numbers: 0 });

const head = (text: string) =>
  Array.from(text.slice(0, 2 * KEPT))
    .slice(0, KEPT)
    .join("");

function proofOf(text: string, rarity: Rarity): Proof {
  return { tokens: rarity.evidence(text), lines: longLinesOf(text), runs: runsOf(text) };
}

/** Labels every candidate of a session at a cut. */
export function label({ messages }: Session, at: number, recent: number, goal: string, rarity: Rarity): Labels {
  const before = exchangesOf(messages.slice(0, at));
  const isProtected = (message: number) => message === 0 || message >= at - recent;
  const candidates = before.filter(
    ({ isGood, callAt, resultAt }) => isGood && !isProtected(callAt) && !isProtected(resultAt),
  );
  const retained = new Retained();
  retained.add(goal);
  const shown = new Set(candidates.map(({ id }) => id));
  for (const block of messages.slice(0, at).flatMap(blocksOf))
    if (block.type === "text" || (block.type === "tool_call" && !shown.has(block.id ?? "")))
      retained.add(textOf(block));
  for (const exchange of before) {
    const number = candidates.indexOf(exchange);
    if (number >= 0) retained.add(exchange.input, number);
    retained.add(number < 0 ? exchange.output : head(exchange.output), number);
  }
  const sources = candidates.map((exchange) => new Source(exchange, rarity));
  for (const message of messages.slice(at)) walk(message, sources, retained, rarity);
  const mutating = new Set(candidates.filter(isMutating).map(({ id }) => id));
  const needed = new Set(candidates.flatMap(({ id }, index) => (proves(sources[index]?.ofOutput) ? [id] : [])));
  const neededCalls = new Set([
    ...needed,
    ...candidates.flatMap(({ id }, index) => (proves(sources[index]?.ofCall) ? [id] : [])),
    ...candidates.filter((call) => mutating.has(call.id) && isMentioned(call, messages.slice(at))).map(({ id }) => id),
  ]);
  return { needed, neededCalls, mutating, candidates: candidates.length };
}

/** One step of the future: what it uses is credited to the last output that has it, then it is retained. */
function walk(
  message: Session["messages"][number],
  sources: readonly Source[],
  retained: Retained,
  rarity: Rarity,
): void {
  const blocks = blocksOf(message);
  const said = blocks.filter(({ type }) => (type === "text" && message.role === "assistant") || type === "tool_call");
  for (const block of said) {
    const used = proofOf(textOf(block), rarity);
    credit(retained.unknown(used), "ofOutput", (kind, item) => sources.findLast((source) => source.has(kind, item)));
    credit(used, "ofCall", (kind, item) => sources[retained.giver(kind, item)]);
  }
  for (const block of blocks) retained.add(textOf(block));
}

/** Notes what was used with where it came from. */
function credit(
  used: Proof,
  side: "ofOutput" | "ofCall",
  from: (kind: keyof Proof, item: string) => Source | undefined,
): void {
  const numbers = new Map<Use, number>();
  for (const kind of KINDS)
    for (const item of used[kind]) {
      const use = from(kind, item)?.[side];
      if (!use) continue;
      if (kind !== "tokens") use.verbatim = true;
      else {
        use.tokens.set(item, strengthOf(item) ?? "weak");
        if (/^[\d.]+$/.test(item)) numbers.set(use, (numbers.get(use) ?? 0) + 1);
      }
    }
  for (const [use, count] of numbers) use.numbers = Math.max(use.numbers, count);
}

/** Whether it is enough to say that something was used word for word. */
function proves(use: Use | undefined): boolean {
  if (!use) return false;
  const { tokens, verbatim, numbers } = use;
  const strong = [...tokens].filter(([, strength]) => strength === "strong").map(([token]) => token);
  const weak = tokens.size - strong.length;
  const isNumber = (token: string) => token.replace(/\D/g, "").length >= 2;
  const isEnough = strong.length >= 2 || (strong.length >= 1 && weak >= 1) || weak >= 3;
  return verbatim || numbers >= 2 || strong.some(isNumber) || isEnough;
}

/** Whether a path of a call's input comes up again before the same call is made again. */
function isMentioned({ name, input }: Exchange, future: readonly Session["messages"][number][]): boolean {
  const paths = input.match(PATH) ?? [];
  for (const block of future.flatMap(blocksOf)) {
    if (block.type === "tool_call" && block.name === name && inputText(block.input) === input) return false;
    const text = block.type === "tool_result" ? "" : textOf(block);
    if (paths.some((path) => path.length >= 4 && text.includes(path))) return true;
  }
  return false;
}
