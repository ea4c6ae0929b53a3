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

export type Fields = Record<string, unknown>;

/** What a chat format says of a call beyond the canonical one (src/message.rs `Ties`). */
export interface Ties {
  /** Calls with the same number go together or not at all. */
  group?: number | undefined;
  groupStays?: boolean | undefined;
  /** It may go alone, but while it stays, the calls of its group that do not follow stay as well. */
  follows?: boolean | undefined;
  stays?: boolean | undefined;
  bound?: boolean | undefined;
  /** What its marker names instead of the id, where the id is only a place. */
  label?: string | undefined;
}

/** Writes a flat history (layout: src/wasm/flat.rs). */
export class FlatWriter {
  private messages = 0;
  private readonly numbers: number[] = [];
  private readonly texts: string[] = [];
  private readonly tools = new Map<string, number>();
  private readonly ids = new Map<string, number>();

  constructor(private readonly lists: Lists) {}

  /** Begins a message; as many blocks must follow. `id` is looked up in the lists of the request. */
  message(role: "assistant" | "system" | "user", id: unknown, blocks: number, isProtected = false): void {
    const known = typeof id === "string";
    const listed = isProtected || (known && this.lists.protectedMessages.has(id)) ? 4 : 0;
    const startsTask = known && this.lists.taskStarts.has(id) ? 8 : 0;
    this.numbers.push(ROLES.indexOf(role) | listed | startsTask, blocks);
    this.messages++;
  }

  other(): void {
    this.numbers.push(0);
  }

  thinking(): void {
    this.numbers.push(1);
  }

  text(text: string): void {
    this.numbers.push(2, text.length);
    this.texts.push(text);
  }

  call(id: unknown, name: unknown, input: unknown, state: unknown, ties: Ties = {}): void {
    const known = typeof id === "string";
    const reference = known && Object.hasOwn(this.lists.references, id) ? this.lists.references[id] : undefined;
    let head = 3 | (stateNumber(state, CALL_STATES, 1) << 4);
    if (known && this.lists.protectedCalls.has(id)) head |= 256;
    if (typeof input === "string") head |= 512;
    if (ties.group !== undefined) head |= 1024;
    if (reference !== undefined) head |= 2048;
    if (ties.stays) head |= 4096;
    if (ties.groupStays) head |= 8192;
    if (ties.bound) head |= 16384;
    if (ties.follows) head |= 32768;
    if (known) head |= codePoints(escapedId(ties.label ?? id)) << 16;
    const text = typeof input === "string" ? input : "";
    this.numbers.push(head >>> 0, this.id(id), this.tool(name), text.length);
    this.texts.push(text);
    if (ties.group !== undefined) this.numbers.push(ties.group);
    if (reference !== undefined) this.numbers.push(codePoints(escaped(reference)));
  }

  result(id: unknown, name: unknown, text: string | undefined, state: unknown): void {
    // Only these words begin a marker; text without them cannot carry one.
    const form = text === undefined ? 0 : text.includes("[… ") ? 2 : 1;
    const head = 4 | (stateNumber(state, RESULT_STATES, 1) << 4) | (form << 8);
    this.numbers.push(head, this.id(id), this.tool(name), text === undefined ? 0 : codePoints(text));
  }

  /** What hangs on nothing is just another block. */
  attachment(id: string): void {
    const number = this.id(id);
    if (number === 0) this.other();
    else this.numbers.push(5, number);
  }

  aside(endsStep: boolean, keepsMessage: boolean): void {
    this.numbers.push(6 | (endsStep ? 16 : 0) | (keepsMessage ? 32 : 0));
  }

  /** An id's number + 1; 0 where it is no non-empty string. */
  private id(id: unknown): number {
    return typeof id === "string" && id !== "" ? intern(this.ids, id) + 1 : 0;
  }

  private tool(name: unknown): number {
    return typeof name === "string" ? intern(this.tools, name) + 1 : 0;
  }

  finish(): Pick<FlatHistory, "numbers" | "text"> {
    const head = [this.messages, this.tools.size, this.ids.size];
    const names = [...this.tools.keys()];
    for (const name of names) head.push(this.lists.eligible.has(name) ? 1 : 0, name.length);
    const numbers = new Uint32Array(head.length + this.numbers.length);
    numbers.set(head);
    numbers.set(this.numbers, head.length);
    return { numbers, text: [...names, ...this.texts, ""].join("\n") };
  }
}

/** Walks the messages once. Reads no more than is needed, and each field once. */
export function flatten(messages: readonly unknown[], lists: Lists): FlatHistory {
  const flattener = new Flattener(lists);
  reading(flattener, () => {
    for (let index = 0; index < messages.length; index++) flattener.message(messages[index], index);
  });
  return flattener.finish();
}

/** Reads something of the host's; what that throws is its own fault. */
export function reading<T>(at: { path: string }, task: () => T): T {
  try {
    return task();
  } catch (cause) {
    if (CompactionError.isInstance(cause)) throw cause;
    throw invalidRequest(at.path, `${at.path} cannot be read: reading it threw`, { cause });
  }
}

class Flattener {
  /** Where it reads. */
  path = "messages";
  private readonly writer: FlatWriter;
  private readonly messages: object[] = [];
  private readonly contents: (readonly object[] | undefined)[] = [];

  constructor(lists: Lists) {
    this.writer = new FlatWriter(lists);
  }

  message(value: unknown, index: number): void {
    this.path = `messages[${index}]`;
    if (!isObject(value)) throw invalidRequest(this.path, `${this.path} must be a message object`, { value });
    const { id, role, content } = value;
    if (role !== "user" && role !== "assistant" && role !== "system")
      throw invalidRequest(`${this.path}.role`, `${this.path}.role must be "user", "assistant" or "system"`, {
        value: role,
      });
    this.messages.push(value);
    if (typeof content === "string") {
      this.contents.push(undefined);
      this.writer.message(role, id, 1);
      this.writer.text(content);
      return;
    }
    if (!Array.isArray(content)) {
      throw invalidRequest(`${this.path}.content`, `${this.path}.content must be a string or a list of block objects`, {
        value: content,
      });
    }
    this.contents.push([...content]);
    this.writer.message(role, id, content.length);
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
        if (typeof text === "string") this.writer.text(text);
        else this.writer.other();
        return;
      }
      case "thinking":
        this.writer.thinking();
        return;
      case "tool_call": {
        const { id, name, input, state } = value;
        this.writer.call(id, name, input, state);
        return;
      }
      case "tool_result": {
        const { id, name, output, state } = value;
        this.writer.result(id, name, outputText(output), state);
        return;
      }
      default:
        this.writer.other();
    }
  }

  finish(): FlatHistory {
    return { ...this.writer.finish(), messages: this.messages, contents: this.contents };
  }
}

export function isObject(value: unknown): value is Fields {
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
