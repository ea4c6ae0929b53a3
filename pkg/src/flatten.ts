import { CompactionError, invalidRequest } from "./errors.js";
import { codePoints, escaped, escapedId } from "./text.js";

/** What the request lists by id or name. */
export interface Lists {
  eligible: ReadonlySet<string>;
  protectedMessages: ReadonlySet<string>;
  protectedCalls: ReadonlySet<string>;
  taskStarts: ReadonlySet<string>;
  references: Readonly<Record<string, string>>;
}

/** A history as the core takes it (layout: src/wasm/flat.rs), and the blocks that it was read from. */
export interface FlatHistory {
  numbers: Uint32Array;
  text: string;
  /** The messages as they were when they were read. */
  messages: readonly object[];
  /** The content of each message, where it is a list. */
  contents: readonly (readonly object[] | undefined)[];
}

const ROLES = ["assistant", "system", "user"];
const CALL_STATES = ["finished", "pending", "asking", "allowed", "submitted"];
const RESULT_STATES = ["success", "running", "error", "interrupted", "denied"];
/** Any other word. */
const UNKNOWN_STATE = 5;

type Fields = Record<string, unknown>;

/** Walks the messages once. Reads no more than is needed, and each field once. */
export function flatten(messages: readonly unknown[], lists: Lists): FlatHistory {
  const flattener = new Flattener(lists);
  try {
    for (let index = 0; index < messages.length; index++) flattener.message(messages[index], index);
  } catch (cause) {
    if (CompactionError.isInstance(cause)) throw cause;
    throw invalidRequest(flattener.path, `${flattener.path} cannot be read: reading it threw`, { cause });
  }
  return flattener.finish();
}

class Flattener {
  /** Where it reads. */
  path = "messages";
  private readonly numbers: number[] = [];
  private readonly texts: string[] = [];
  private readonly tools = new Map<string, number>();
  private readonly ids = new Map<string, number>();
  private readonly messages: object[] = [];
  private readonly contents: (readonly object[] | undefined)[] = [];

  constructor(private readonly lists: Lists) {}

  message(value: unknown, index: number): void {
    this.path = `messages[${index}]`;
    if (!isObject(value)) throw invalidRequest(this.path, `${this.path} must be a message object`, { value });
    const { id, role, content } = value;
    const roleNumber = ROLES.indexOf(role as string);
    if (roleNumber < 0)
      throw invalidRequest(`${this.path}.role`, `${this.path}.role must be "user", "assistant" or "system"`, {
        value: role,
      });
    const listed = typeof id === "string" && this.lists.protectedMessages.has(id) ? 4 : 0;
    const startsTask = typeof id === "string" && this.lists.taskStarts.has(id) ? 8 : 0;
    this.numbers.push(roleNumber | listed | startsTask);
    this.messages.push(value);
    if (typeof content === "string") {
      this.contents.push(undefined);
      this.numbers.push(1);
      this.textBlock(content);
      return;
    }
    if (!Array.isArray(content)) {
      throw invalidRequest(`${this.path}.content`, `${this.path}.content must be a string or a list of block objects`, {
        value: content,
      });
    }
    this.contents.push([...content]);
    this.numbers.push(content.length);
    for (let block = 0; block < content.length; block++) {
      this.path = `messages[${index}].content[${block}]`;
      this.block(content[block]);
    }
  }

  private block(value: unknown): void {
    if (!isObject(value)) throw invalidRequest(this.path, `${this.path} must be a block object`, { value });
    switch (value.type) {
      case "text": {
        const { text } = value;
        if (typeof text === "string") this.textBlock(text);
        else this.numbers.push(0);
        return;
      }
      case "thinking":
        this.numbers.push(1);
        return;
      case "tool_call":
        this.call(value);
        return;
      case "tool_result":
        this.result(value);
        return;
      default:
        this.numbers.push(0);
    }
  }

  private textBlock(text: string): void {
    this.numbers.push(2, text.length);
    this.texts.push(text);
  }

  private call({ id, name, input, state }: Fields): void {
    const known = typeof id === "string";
    const reference = known && Object.hasOwn(this.lists.references, id) ? this.lists.references[id] : undefined;
    let head = 3 | (stateNumber(state, CALL_STATES, 1) << 4);
    if (known && this.lists.protectedCalls.has(id)) head |= 256;
    if (typeof input === "string") head |= 512;
    if (reference !== undefined) head |= 2048;
    if (known) head |= codePoints(escapedId(id)) << 16;
    const text = typeof input === "string" ? input : "";
    this.numbers.push(head >>> 0, this.id(id), this.tool(name), text.length);
    this.texts.push(text);
    if (reference !== undefined) this.numbers.push(codePoints(escaped(reference)));
  }

  private result({ id, name, output, state }: Fields): void {
    const text = outputText(output);
    // Only these words begin a marker; text without them cannot carry one.
    const form = text === undefined ? 0 : text.includes("[… ") ? 2 : 1;
    const head = 4 | (stateNumber(state, RESULT_STATES, 1) << 4) | (form << 8);
    this.numbers.push(head, this.id(id), this.tool(name), text === undefined ? 0 : codePoints(text));
  }

  /** An id's number + 1; 0 where it is no non-empty string. */
  private id(id: unknown): number {
    return typeof id === "string" && id !== "" ? intern(this.ids, id) + 1 : 0;
  }

  private tool(name: unknown): number {
    return typeof name === "string" ? intern(this.tools, name) + 1 : 0;
  }

  finish(): FlatHistory {
    const head = [this.messages.length, this.tools.size, this.ids.size];
    const names = [...this.tools.keys()];
    for (const name of names) head.push(this.lists.eligible.has(name) ? 1 : 0, name.length);
    const numbers = new Uint32Array(head.length + this.numbers.length);
    numbers.set(head);
    numbers.set(this.numbers, head.length);
    const text = [...names, ...this.texts, ""].join("\n");
    return { numbers, text, messages: this.messages, contents: this.contents };
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The number of a state; a missing one has the format's default, which is the second. */
function stateNumber(state: unknown, words: readonly string[], missing: number): number {
  if (state === undefined) return missing;
  const number = words.indexOf(state as string);
  return number < 0 ? UNKNOWN_STATE : number;
}

function intern(table: Map<string, number>, key: string): number {
  let number = table.get(key);
  if (number === undefined) {
    number = table.size;
    table.set(key, number);
  }
  return number;
}

/** The text of an output; undefined where it is neither a string nor a non-empty list of text blocks. */
export function outputText(output: unknown): string | undefined {
  if (typeof output === "string") return output;
  if (!Array.isArray(output) || output.length === 0) return undefined;
  const texts: string[] = [];
  for (const block of output) {
    if (!isObject(block) || block.type !== "text" || typeof block.text !== "string") return undefined;
    texts.push(block.text);
  }
  return texts.length === 1 ? texts[0] : texts.join("\n");
}
