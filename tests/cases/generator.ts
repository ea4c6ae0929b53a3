/**
 * Histories that are described in words. A description is a list of clauses with `;` between them; each clause is read piece by
 * piece, and one with a piece left over is refused.
 */
import type { Message } from "keepline";
import { user } from "../support/requests.js";

/** A clause that is being read: pieces that were understood are cut out. */
class Clause {
  constructor(private rest: string) {}

  /** The groups of a piece, or undefined where it is not there. */
  take(pattern: RegExp): string[] | undefined {
    const match = pattern.exec(this.rest);
    if (!match) return undefined;
    this.rest = `${this.rest.slice(0, match.index)} ${this.rest.slice(match.index + match[0].length)}`;
    return match.slice(1);
  }

  finish(clause: string): void {
    const rest = this.rest.replace(/\b(and|with|each|one|an?|by)\b|[,\s]+/g, "");
    if (rest !== "") throw new Error(`not understood: ${JSON.stringify(rest)} in ${JSON.stringify(clause)}`);
  }
}

const NUMBER = "(\\d[\\d,]*)";
const toNumber = (text: string | undefined, missing: number) =>
  text === undefined ? missing : Number(text.replaceAll(",", ""));

const WORDS = "barge lamp kiln rope gauge tide ledger crane berth slate copper anchor".split(" ");

/** So many words, different ones for each seed. */
function words(count: number, seed: number): string {
  return Array.from({ length: count }, (_, index) => WORDS[(index * 7 + seed * 5) % WORDS.length]).join(" ");
}

/** Text of exactly so many characters. */
function text(length: number, seed: number): string {
  const line = `${words(9, seed)} ${seed}; `;
  return line.repeat(Math.ceil(length / line.length)).slice(0, length);
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Characters of base64 that look random and are the same every time. */
function noise(length: number): string {
  let state = 1;
  let out = "";
  while (out.length < length) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    out += BASE64[state >>> 26];
  }
  return out;
}

/** `{"n":i,"pad":400 x 'p'}` and `{"path":"shelf/<i>/x"}` for the call with this number. */
function input(template: string, number: number): string {
  return template
    .replaceAll("<i>", String(number))
    .replace(/:i\b/g, `:${number}`)
    .replace(/(\d+) x '([^']+)'/g, (_, times: string, piece: string) => JSON.stringify(piece.repeat(Number(times))));
}

/** Clauses end at a semicolon that is not quoted. */
function clausesOf(description: string): string[] {
  return [...description.matchAll(/(?:'[^']*'|[^;'])+/g)].map(([clause]) => clause.trim());
}

/** Messages from a description. */
export function generateMessages(description: string): Message[] {
  const messages: Message[] = [];
  let calls = 0;
  for (const clause of clausesOf(description)) {
    const { made, between } = read(clause, calls);
    calls += made.filter(({ role, content }) => role === "assistant" && content.length > 1).length;
    if (between) spread(messages, made);
    else messages.push(...made);
  }
  return messages.map((message, index) => ({ id: `m${index}`, ...message }));
}

/** Puts messages between those of the clause before, evenly. */
function spread(messages: Message[], made: readonly Message[]): void {
  const step = messages.length / (made.length + 1);
  for (let index = made.length; index > 0; index--)
    messages.splice(Math.round(step * index), 0, made[index - 1] as Message);
}

function read(whole: string, callsBefore: number): { made: Message[]; between: boolean } {
  const clause = new Clause(whole);
  const said = clause.take(/^user '([^']*)'$/)?.[0];
  if (said !== undefined) return { made: [user(said)], between: false };
  const between = clause.take(/\bbetween them\b/) !== undefined;
  const users = clause.take(new RegExp(`^${NUMBER} user messages of ${NUMBER} words`));
  if (users) {
    clause.finish(whole);
    const [count, length] = users.map((part) => toNumber(part, 0)) as [number, number];
    return { made: Array.from({ length: count }, (_, index) => user(words(length, index))), between };
  }
  const count =
    clause.take(new RegExp(`^${NUMBER} assistant messages`)) ?? clause.take(new RegExp(`^${NUMBER} (?=calls)`));
  if (!count && !clause.take(/^assistant( message)?\b/)) throw new Error(`not understood: ${JSON.stringify(whole)}`);
  const make = reader(clause);
  clause.finish(whole);
  const total = toNumber(count?.[0], 1);
  return { made: Array.from({ length: total }, (_, index) => make(callsBefore + index + 1)), between };
}

/** What each assistant message of a clause holds. */
function reader(clause: Clause): (number: number) => Message {
  const ids = clause.take(/\b([a-z]+)1\.\.\1(\d+)/)?.[0] ?? "c";
  const levels = clause.take(new RegExp(`an extra field nested ${NUMBER} levels`))?.[0];
  const spoken = clause.take(new RegExp(`(?:of|with) ${NUMBER} words(?: of text)?`))?.[0];
  const prefixed = clause.take(
    new RegExp(`output is one string: '([^']*)' followed by ${NUMBER} characters of A-Z a-z 0-9 \\+ / \\(seeded\\)`),
  );
  const output = clause.take(new RegExp(`(?:an?|one)? ?${NUMBER}-character outputs?`))?.[0];
  const long = clause.take(new RegExp(`valid JSON input of ${NUMBER} characters \\(one long string\\)`))?.[0];
  const nested = clause.take(new RegExp(`whose input JSON string is nested ${NUMBER} levels`))?.[0];
  const called = clause.take(/calls? (\w+)(?: (\{.*?\})(?=[,\s]|$))?/);
  return (number) => {
    const content: Record<string, unknown>[] = [];
    if (spoken !== undefined) content.push({ type: "text", text: words(toNumber(spoken, 0), number) });
    if (called) {
      const [name, template] = called;
      const id = `${ids}${number}`;
      const written =
        long !== undefined
          ? JSON.stringify({ text: "x".repeat(toNumber(long, 0) - 11) })
          : nested !== undefined
            ? `{"a":${"[".repeat(toNumber(nested, 0) - 1)}${"]".repeat(toNumber(nested, 0) - 1)}}`
            : input(template ?? '{"n":<i>}', number);
      const body = prefixed ? `${prefixed[0]}${noise(toNumber(prefixed[1], 0))}` : text(toNumber(output, 0), number);
      content.push(
        { type: "tool_call", id, name, input: written, state: "finished" },
        { type: "tool_result", id, name, output: body, state: "success" },
      );
    }
    return {
      role: "assistant",
      content: content as never,
      ...(levels !== undefined && { extra: nest(toNumber(levels, 0)) }),
    };
  };
}

function nest(levels: number): unknown {
  let value: unknown = "inside";
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}
