/** Sessions joined from natively written tasks (`tests/fixtures/languages`): several tasks, the last of which is running. */
import { readFileSync } from "node:fs";
import type { Block, CompactionRequest, Message } from "keepline";

/** How a script parts its words. `mixed` is unspaced text full of Latin code and names. */
export type Script = "mixed" | "spaced" | "unspaced";

/** One task, from the first user message to its end. */
export interface Member {
  language: string;
  script: Script;
  domain: string;
  title: string;
  messages: (Message & { content: Block[] })[];
  /** Calls whose output the final steps need word for word. */
  needed: string[];
  /** For each of them what the final steps take out of it, and nobody has said before. */
  facts: Record<string, string[]>;
  /** Index of the first message of the final steps. */
  final: number;
  next_step: string;
}

/** Messages `from` (included) to `to` (excluded) of a member, or what a user says in between. */
export type Part = { member: string; from?: number; to?: number } | { user: string };

/** One line of `sessions.json`. The last part belongs to the running task. */
export interface Session {
  name: string;
  /** A task with another one inside; ended tasks of other languages; ended tasks of the same language; six ended tasks. */
  kind: "aba" | "easy" | "hard" | "long";
  /** That of the running task. */
  script: Exclude<Script, "mixed">;
  language: string;
  parts: Part[];
  goal: string;
}

/** A session as a request. */
export interface Joined {
  request: CompactionRequest;
  /** Call id → the member it comes from. */
  members: Map<string, Member>;
  /** Calls of ended tasks. */
  ended: Set<string>;
  /** Calls of the running task. */
  own: Set<string>;
  /** Calls of the running task whose output the next step needs. */
  needed: Set<string>;
}

const folder = new URL("../fixtures/languages/", import.meta.url);
const read = (path: string) => JSON.parse(readFileSync(new URL(path, folder), "utf8"));

/** All sessions. */
export const sessions: readonly Session[] = read("sessions.json");

const members = new Map<string, Member>();

/** The member of that name. */
export function memberOf(name: string): Member {
  const member = members.get(name) ?? (read(`members/${name}.json`) as Member);
  members.set(name, member);
  return member;
}

/** The calls of messages. */
export function callsOf(messages: readonly Message[]): Block[] {
  return messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.filter(({ type }) => type === "tool_call"),
  );
}

/** Joins the parts: one system message, ids that differ between members, every call eligible. */
export function join({ parts, goal }: Session): Joined {
  const running = parts.findLast((part) => "member" in part)?.member as string;
  const prefixes = new Map<string, string>();
  const prefixOf = (member: string) => {
    const prefix = prefixes.get(member) ?? String.fromCharCode(97 + prefixes.size);
    prefixes.set(member, prefix);
    return prefix;
  };
  const messages: Message[] = [];
  const memberOfCall = new Map<string, Member>();
  const ended = new Set<string>();
  const own = new Set<string>();
  for (const [index, part] of parts.entries()) {
    if ("user" in part) {
      messages.push({ id: `u${index}`, role: "user", content: [{ type: "text", id: `u${index}_b`, text: part.user }] });
      continue;
    }
    const member = memberOf(part.member);
    const prefix = prefixOf(part.member);
    const taken = member.messages
      .slice(part.from, part.to)
      .filter(({ role }) => role !== "system" || messages.length === 0)
      .map((message) => ({
        ...message,
        id: `${prefix}_${message.id}`,
        content: message.content.map((block) => ({ ...block, id: `${prefix}_${block.id}` })),
      }));
    for (const { id } of callsOf(taken)) {
      memberOfCall.set(id as string, member);
      (part.member === running ? own : ended).add(id as string);
    }
    messages.push(...taken);
  }
  const needed = new Set(memberOf(running).needed.map((id) => `${prefixOf(running)}_${id}`));
  const tools = new Set(callsOf(messages).map(({ name }) => name as string));
  return {
    request: { messages, goal, eligible_tool_names: [...tools], options: { preserve_recent_messages: 4 } },
    members: memberOfCall,
    ended,
    own,
    needed,
  };
}
