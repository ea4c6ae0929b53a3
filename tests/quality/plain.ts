/** Snapshots from plain transcripts: labelled here, each alone and joined after others. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Message } from "keepline";
import { UsageError } from "./arguments.js";
import { cutsOf, label, Rarity } from "./labels.js";
import { blocksOf, type LabelledSnapshot, type Session } from "./session.js";

/** Ended tasks before the running one in a joined session. */
const ENDED = 2;

/** Every transcript of a folder: JSON files with a list of messages, or an object with `messages`. */
export function readSessions(folder: string): Session[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
  return files.sort().flatMap((file) => {
    const messages = messagesOf(join(folder, file));
    const parts = relative(folder, join(folder, file)).split(sep);
    return [{ name: file, domain: parts.length > 1 ? (parts[0] as string) : "all", messages: messages as Message[] }];
  });
}

/** The messages of a file; what is none of ours is named. */
function messagesOf(file: string): Message[] {
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(file, "utf8").replace(/^\ufeff/, ""));
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${(error as Error).message}`);
  }
  const messages = Array.isArray(data) ? data : (data as { messages?: unknown } | null)?.messages;
  if (!Array.isArray(messages)) throw new UsageError(`${file} holds no list of messages`);
  const wrong = messages.findIndex((message) => !isMessage(message));
  if (wrong >= 0)
    throw new UsageError(
      `${file}: messages[${wrong}] is no AgentScope message (role, and content as text or a list of blocks)`,
    );
  return messages as Message[];
}

function isMessage(message: unknown): boolean {
  const { role, content } = (message ?? {}) as { role?: unknown; content?: unknown };
  const isBlock = (block: unknown) => typeof (block as { type?: unknown } | null)?.type === "string";
  return (
    typeof role === "string" && (typeof content === "string" || (Array.isArray(content) && content.every(isBlock)))
  );
}

/** What stands for the goal: the task, and the last text of the user where that is another. */
function goalOf(messages: readonly Message[]): string {
  const texts = messages
    .filter(({ role }) => role === "user")
    .flatMap(blocksOf)
    .flatMap(({ text }) => (text ? [text] : []));
  const [task = "", last = ""] = [texts[0], texts.at(-1)];
  return (
    `${task.slice(0, 3000)}${last === task ? "" : `\n${last.slice(0, 1500)}`}` || "Continue with the current task."
  );
}

/** The snapshots of plain transcripts, labelled. */
export function* readPlain(sessions: readonly Session[]): Generator<LabelledSnapshot> {
  const domains = new Map<string, Session[]>();
  for (const session of sessions) domains.set(session.domain, [...(domains.get(session.domain) ?? []), session]);
  for (const [domain, members] of domains) {
    const rarity = new Rarity(members);
    for (const [index, session] of members.entries()) {
      for (const { at, recent } of cutsOf(session)) {
        const messages = numbered(session.messages.slice(0, at), 0);
        const goal = goalOf(messages);
        const { needed, neededCalls, mutating, candidates } = label(session, at, recent, goal, rarity);
        const own = (ids: Set<string>) => new Set([...ids].map((id) => `0_${id}`));
        const common = {
          group: session.name,
          domain,
          goal,
          recent,
          isOwn: (call: string) => call.startsWith("0_"),
          needed: own(needed),
          neededCalls: own(neededCalls),
          mutating: own(mutating),
        };
        yield { ...common, id: `${session.name}:${at}`, kind: "single", messages, candidates };
        const ended = others(members, index).flatMap(({ messages }, place) => numbered(messages, place + 1));
        if (ended.length > 0)
          yield { ...common, id: `joined-${session.name}:${at}`, kind: "hard", messages: joined(ended, messages) };
      }
    }
  }
}

/** The sessions before one, round the list. */
function others(members: readonly Session[], index: number): Session[] {
  const count = Math.min(ENDED, members.length - 1);
  return Array.from({ length: count }, (_, back) => members.at((index - count + back) % members.length) as Session);
}

/** Messages with ids that no other session has. */
function numbered(messages: readonly Message[], number: number): Message[] {
  return messages.map((message) => ({
    ...message,
    content: blocksOf(message).map((block) => ("id" in block ? { ...block, id: `${number}_${block.id}` } : block)),
  })) as unknown as Message[];
}

/** Ended tasks, then the running one; one system message. */
function joined(ended: readonly Message[], running: readonly Message[]): Message[] {
  return [...ended, ...running].filter(({ role }, index) => role !== "system" || index === 0);
}
