/** The four shapes of one LangChain message, and how each is rebuilt as what it was. */
import { withFields } from "../../copy.js";
import type { Fields } from "../../flatten.js";

/** A message, whatever its shape. */
export interface Shape {
  /** `human`, `ai`, `system`, `tool`, … */
  type: string;
  /** Where its fields are. */
  fields: Fields;
  /** The same shape with other values for some fields; undefined removes a field. */
  build(changes: Fields): object;
}

const CLASSES: Readonly<Record<string, string>> = {
  HumanMessage: "human",
  AIMessage: "ai",
  SystemMessage: "system",
  DeveloperMessage: "system",
  ToolMessage: "tool",
  FunctionMessage: "function",
  ChatMessage: "generic",
  RemoveMessage: "remove",
};
const ALIASES: Readonly<Record<string, string>> = { user: "human", assistant: "ai", developer: "system" };

/** A type by its word, or by the name of a class, as serialized messages have it. */
function typeOf(word: unknown): string {
  const name = String(word).replace(/Chunk$/, "");
  return ALIASES[name] ?? CLASSES[name] ?? String(word);
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads the shape of a message. */
export function shapeOf(message: Fields): Shape {
  const { _getType: getType, lc, id, kwargs, data, type, role } = message;
  if (typeof getType === "function")
    return {
      type: String((message as { _getType(): string })._getType()),
      fields: message,
      build: (changes) => instanceWith(message, changes),
    };
  if (lc === 1 && Array.isArray(id) && isFields(kwargs)) {
    return {
      type: typeOf(id.at(-1)),
      fields: kwargs,
      build: (changes) => withFields(message, { kwargs: changed(kwargs, changes) }),
    };
  }
  if (isFields(data) && typeof type === "string")
    return {
      type: typeOf(type),
      fields: data,
      build: (changes) => withFields(message, { data: changed(data, changes) }),
    };
  return { type: typeOf(type ?? role), fields: message, build: (changes) => changed(message, changes) };
}

function changed(fields: Fields, changes: Fields): Fields {
  const copy = withFields(fields, {});
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete copy[name];
    else copy[name] = value;
  }
  // Messages of version 1 are stored with their content under this name.
  if (Array.isArray(copy.content_blocks) && changes.content !== undefined) {
    copy.content_blocks = changes.content;
    if (fields.content === undefined) delete copy.content;
  }
  return copy;
}

/** What the constructors take. */
const PARAMETERS = (
  "content id name additional_kwargs response_metadata tool_calls invalid_tool_calls tool_call_chunks usage_metadata " +
  "tool_call_id status artifact metadata role"
).split(" ");

/** A new instance of the same class, made by its constructor. */
function instanceWith(message: Fields, changes: Fields): object {
  const given = isFields(message.lc_kwargs) ? message.lc_kwargs : {};
  const parameters: Fields = {};
  for (const name of new Set([...Object.keys(given), ...PARAMETERS])) {
    const value = name in changes ? changes[name] : name in message ? message[name] : given[name];
    if (value !== undefined) parameters[name] = value;
  }
  // Constructors add to the list that they are given.
  if (Array.isArray(parameters.content)) parameters.content = [...parameters.content];
  if ("contentBlocks" in given) {
    parameters.contentBlocks = parameters.content;
    delete parameters.content;
  }
  const copy = new (message.constructor as new (parameters: Fields) => Fields)(parameters);
  const { content } = parameters.contentBlocks === undefined ? parameters : { content: parameters.contentBlocks };
  if (!saysSame(copy.content, content)) return copiedWith(message, changes);
  // A class of the host's may set fields of its own; they stay as they were, and so does what the host put on the message.
  for (const name of Reflect.ownKeys(message) as string[]) {
    if (name === "lc_kwargs" || name in changes || saysSame(copy[name], message[name])) continue;
    copy[name] = message[name];
  }
  return copy;
}

/** The same object again, where its constructor takes other parameters than a message's fields. */
function copiedWith(message: Fields, changes: Fields): object {
  const given = isFields(message.lc_kwargs) ? { lc_kwargs: withFields(message.lc_kwargs, changes) } : {};
  return withFields(message, { ...changes, ...given });
}

/** Whether two values are one, or lists of the same items. */
function saysSame(one: unknown, other: unknown): boolean {
  const isList = Array.isArray(one) && Array.isArray(other) && one.length === other.length;
  return one === other || (isList && one.every((item, index) => item === other[index]));
}
