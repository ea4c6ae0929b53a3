/** Small helpers over the fields and lists of vendors' messages. */
import { withFields } from "../../copy.js";
import { invalidRequest } from "../../errors.js";
import { type Fields, isObject } from "../../flatten.js";
import type { SeenBlock } from "./view.js";

/** A message, which must be an object. */
export function messageAt(value: unknown, index: number, at: { path: string }): Fields {
  at.path = `messages[${index}]`;
  if (!isObject(value)) throw invalidRequest(at.path, `${at.path} must be a message object`, { value });
  return value;
}

/** The blocks of a content that is a string or a list of parts; an empty string is nothing. */
export function partTexts(content: unknown, isText: (part: Fields) => boolean): SeenBlock[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.map((part) => {
    const fields = (part ?? {}) as Fields;
    return isText(fields) && typeof fields.text === "string" ? { kind: "text", text: fields.text } : { kind: "other" };
  });
}

/** A string stays a string; a list of text parts becomes a list of one, with the last cache mark of the list. */
export function withPartText(content: unknown, text: string, mark?: string): unknown {
  if (!Array.isArray(content)) return text;
  const marked = mark === undefined ? undefined : content.findLast((part: Fields) => part[mark] !== undefined);
  return [withFields(content[0] as Fields, marked ? { text, [mark as string]: marked[mark as string] } : { text })];
}

/** A shallow copy without one field. */
export function withoutField<T extends object>(object: T, field: string): T {
  const copy = withFields(object, {});
  delete (copy as Fields)[field];
  return copy;
}

/** Two contents, strings or lists of parts, as one. */
export function joinedContent(one: unknown, other: unknown): unknown {
  const isEmpty = (content: unknown) => content === "" || content === undefined || content === null;
  if (isEmpty(one)) return other;
  if (isEmpty(other)) return one;
  return [one, other].flatMap((content) => (Array.isArray(content) ? content : [{ type: "text", text: content }]));
}
