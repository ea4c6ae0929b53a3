/** Snapshots from a recipe: which parts of which recorded sessions to join, where to cut, and what was needed afterwards. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "keepline";
import { blocksOf, type LabelledSnapshot } from "./session.js";

interface Part {
  /** A piece of a session. */
  f?: string;
  a?: number;
  b?: number;
  /** Or a message that goes on, goes back to a named task, or to the one before. */
  nudge?: number;
  back?: string;
  back_vague?: boolean;
}

interface Cut {
  k: number;
  n: number;
  candidates: number;
  need: string[];
  call: string[];
  mut: string[];
}

interface Case {
  id: string;
  kind: string;
  domain: string;
  parts: Part[];
  task: string;
  member: number;
  cuts: Cut[];
}

/** What stands for the goal: the task and the last user text, the latter alone, or neither. */
export type GoalRule = "task" | "last" | "vague";

const NUDGES = [
  "Please go on.",
  "Looks good so far, carry on.",
  "Thanks. What is the next step? Please do it.",
  "I had to step away, please continue where you stopped.",
];
const BACK = "Back to the earlier task now: ";
const BACK_VAGUE = "OK, now go back to the task before that one and finish it.";
const VAGUE = "Continue with the current task.";

/** Code points that a goal takes of the task and of the last user text. */
const TASK_CHARS = 3000;
const LAST_CHARS = 1500;

const first = (text: string, count: number) => Array.from(text).slice(0, count).join("");

/** Reads sessions of a folder, each once. */
class Sessions {
  private readonly known = new Map<string, Message[]>();

  constructor(private readonly folder: string) {}

  messages(file: string): Message[] {
    let messages = this.known.get(file);
    if (!messages) {
      messages = (JSON.parse(readFileSync(join(this.folder, file), "utf8")) as { messages: Message[] }).messages;
      this.known.set(file, messages);
    }
    return messages;
  }

  /** The first text of the user. */
  task(file: string): string {
    return userTexts(this.messages(file))[0] ?? "";
  }

  title(file: string): string {
    const task = this.task(file).replace(/^Consider the following PR description:\s*/, "");
    return first(task.trim().split("\n")[0] ?? "", 120);
  }
}

function userTexts(messages: readonly Message[]): string[] {
  return messages
    .filter(({ role }) => role === "user")
    .flatMap(blocksOf)
    .flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : []));
}

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });

/** One history of several pieces; ids are made unique by the number of the session. */
function joinParts(sessions: Sessions, parts: readonly Part[]): Message[] {
  const numbers = new Map<string, number>();
  const joined: Message[] = [];
  for (const part of parts) {
    const said = spoken(sessions, part);
    if (said !== undefined) {
      joined.push(user(said));
      continue;
    }
    const { f = "", a = 0, b = 0 } = part;
    if (!numbers.has(f)) numbers.set(f, numbers.size);
    for (const message of sessions.messages(f).slice(a, b)) {
      if (message.role === "system" && joined.length > 0) continue;
      const content = blocksOf(message).map((block) =>
        block.type === "tool_call" || block.type === "tool_result"
          ? { ...block, id: `${numbers.get(f)}_${block.id}` }
          : block,
      );
      joined.push({ role: message.role, content } as unknown as Message);
    }
  }
  return joined;
}

function spoken(sessions: Sessions, { nudge, back, back_vague }: Part): string | undefined {
  if (nudge !== undefined) return NUDGES[nudge];
  if (back !== undefined) return BACK + sessions.title(back);
  return back_vague ? BACK_VAGUE : undefined;
}

function goalOf(messages: readonly Message[], task: string, rule: GoalRule): string {
  if (rule === "vague") return VAGUE;
  const last = userTexts(messages).at(-1) ?? "";
  if (rule === "last") return first(last, LAST_CHARS);
  const start = first(task, TASK_CHARS);
  return first(last, TASK_CHARS) === start ? start : `${start}\n${first(last, LAST_CHARS)}`;
}

/** The snapshots of a recipe, one after the other. */
export function* readRecipe(folder: string, file: string, rule: GoalRule): Generator<LabelledSnapshot> {
  const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: Case[] };
  const sessions = new Sessions(folder);
  for (const { id, kind, domain, parts, task, member, cuts } of cases) {
    const messages = joinParts(sessions, parts);
    for (const { k, n, candidates, need, call, mut } of cuts) {
      const snapshot = messages.slice(0, k);
      yield {
        id: `${id}:${k}`,
        group: task,
        kind,
        domain,
        goal: goalOf(snapshot, sessions.task(task), rule),
        recent: n,
        messages: snapshot,
        isOwn: (call) => call.startsWith(`${member}_`),
        needed: new Set(need),
        neededCalls: new Set(call),
        mutating: new Set(mut),
        candidates,
      };
    }
  }
}
