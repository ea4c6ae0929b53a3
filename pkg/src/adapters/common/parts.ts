/** Small helpers over the fields and lists of vendors' messages. */
import { withFields } from "../../copy.js";
import { invalidRequest } from "../../errors.js";
import { type Fields, isObject } from "../../flatten.js";
import type { SeenBlock } from "./view.js";

/** Goes through messages; while one is looked at, `at.path` names it. */
export function mapAt<T, R>(list: readonly T[], at: { path: string }, see: (message: T, index: number) => R): R[] {
  return list.map((message, index) => {
    at.path = `messages[${index}]`;
    return see(message, index);
  });
}

/** The messages, each of which must be an object. */
export function messagesAt(values: readonly unknown[], at: { path: string }): Fields[] {
  return mapAt(values, at, (value) => {
    if (!isObject(value)) throw invalidRequest(at.path, `${at.path} must be a message object`, { value });
    return value;
  });
}

/** The block of a part with a text; an empty one says nothing and keeps no message. */
export function textBlock({ text }: Fields): SeenBlock {
  if (typeof text !== "string") return { kind: "other" };
  return text === "" ? { kind: "aside", text } : { kind: "text", text };
}

/** The blocks of a content that is a string or a list of parts; an empty string is nothing. */
export function partTexts(content: unknown, isText: (part: Fields) => boolean): SeenBlock[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.map((part) => {
    const fields = (part ?? {}) as Fields;
    return isText(fields) ? textBlock(fields) : { kind: "other" };
  });
}

/** A string stays a string; a list of text parts becomes a list of one, with the last cache mark of the list. */
export function withPartText(content: unknown, text: string, mark?: string): unknown {
  if (!Array.isArray(content)) return text;
  const marked =
    mark === undefined ? undefined : content.findLast((part: Fields) => (part[mark] ?? undefined) !== undefined);
  return [withFields(content[0] as Fields, marked ? { text, [mark as string]: marked[mark as string] } : { text })];
}

/** A shallow copy without one field. */
export function withoutField<T extends object>(object: T, field: string): T {
  const copy = withFields(object, {});
  delete (copy as Fields)[field];
  return copy;
}

/** Texts that go on where they are said in two messages; other texts are names. */
const GOING_ON = ["refusal", "reasoning", "reasoning_content"];

/** Two messages as one that says all that both say; undefined where they say different things of the same. */
export function joinedFields(one: Fields, other: Fields): Fields | undefined {
  const fields: Fields = {};
  for (const [key, value] of Object.entries(one)) {
    const later = other[key] ?? undefined;
    if (key === "content") fields.content = joinedContent(value, later);
    else if (later === undefined) fields[key] = value;
    else if (value === undefined || value === null || value === later) continue;
    else if (Array.isArray(value) && Array.isArray(later)) fields[key] = [...value, ...later];
    else if (GOING_ON.includes(key) && typeof value === "string" && typeof later === "string")
      fields[key] = [value, later].filter((text) => text !== "").join("\n");
    else return undefined;
  }
  return withFields(other, fields);
}

/** Two contents, strings or lists of parts, as one. */
export function joinedContent(one: unknown, other: unknown): unknown {
  const isEmpty = (content: unknown) => content === "" || content === undefined || content === null;
  if (isEmpty(one)) return other;
  if (isEmpty(other)) return one;
  return [one, other].flatMap((content) => (Array.isArray(content) ? content : [{ type: "text", text: content }]));
}
