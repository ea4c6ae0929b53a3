/** Where the messages of a document are: in it, in a field of it, or each in a line of a transcript. */
import { type Fields, fieldsOf, isObject } from "./fields.js";
import type { Opened } from "./format.js";

/** Messages of a document and the way back. */
export interface Located {
  messages: Fields[];
  /** The object that holds the list, for settings beside it. */
  holder?: Fields;
  wrap: Opened["wrap"];
}

/** Fields in which hosts keep their messages: requests, threads of LangGraph, lists of items. */
const PATHS: readonly (readonly string[])[] = [
  [],
  ["messages"],
  ["input"],
  ["contents"],
  ["history"],
  ["data"],
  ["values", "messages"],
];

/** Fields in which a line of an agent's transcript keeps its message. */
const ENVELOPES = ["message", "payload"];

const isList = (value: unknown): value is Fields[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => isObject(item));

/** All the lists that may be the messages, those nearest to the surface first. */
export function* locate(document: unknown): Generator<Located> {
  for (const path of PATHS) {
    const found = path.reduce<unknown>((value, name) => fieldsOf(value)[name], document);
    if (!isList(found)) continue;
    const holder = path.slice(0, -1).reduce<unknown>((value, name) => fieldsOf(value)[name], document);
    yield {
      messages: found,
      ...(path.length > 0 && { holder: holder as Fields }),
      wrap: (messages) => replaced(document, path, messages),
    };
  }
  if (isList(document)) for (const name of ENVELOPES) yield* opened(document, name);
}

function replaced(value: unknown, [name, ...rest]: readonly string[], messages: readonly unknown[]): unknown {
  if (name === undefined) return messages;
  const fields = value as Fields;
  return { ...fields, [name]: replaced(fields[name], rest, messages) };
}

/** Lines that each carry a message; those that carry none stay where they are. */
function* opened(lines: readonly Fields[], name: string): Generator<Located> {
  const isCarried = (line: Fields) => isObject(line[name]) && ("role" in line[name] || line.type === "response_item");
  const carriers = lines.filter(isCarried);
  if (carriers.length === 0) return;
  const places = new Map(carriers.map((line, place) => [line, place]));
  yield {
    messages: carriers.map((line) => line[name] as Fields),
    wrap: (messages, map, origins) =>
      lines.flatMap((line) => {
        const place = places.get(line);
        if (place === undefined) return [line];
        const now = map[place];
        if (now === null || now === undefined) return [];
        if (messages[now] === line[name]) return [line];
        const changed = { ...line, [name]: messages[now] };
        origins.set(changed, line);
        return [changed];
      }),
  };
}
