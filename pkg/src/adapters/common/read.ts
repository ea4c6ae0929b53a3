/** From the blocks of an adapter to the core, and from the core's decisions back to the vendor's messages. */
import type { OutcomeArray } from "#glue";
import { add, byMessage, cutText, type DecidedPair } from "../../apply.js";
import { invalidRequest } from "../../errors.js";
import { FlatWriter, type Lists, reading } from "../../flatten.js";
import type { ReadHistory, Rebuilt } from "../../format.js";
import { ask, type Switches } from "./switches.js";
import { type Edit, type ResultBlock, type Seen, settle } from "./view.js";

/** A message format: what differs from the others. */
export interface Format {
  /** The switches that it knows. */
  switches: readonly (keyof Switches)[];
  /** Sees every message; keeps `at.path` at the message it reads. */
  see(messages: readonly unknown[], switches: Switches, at: { path: string }): Seen[];
  /** Whether the provider checks the open tool loop; `signed`: where a call or thinking in it carries a signature. */
  checksTurn: boolean | "signed";
  /** Whether messages of the agent that touch become one: those in front of one with calls, all of them, or none. */
  merges?(messages: readonly object[], switches: Switches): "calls" | "all" | false;
  /** One message of two, where {@link Format.merges} says so; undefined where they cannot become one without a loss. */
  merge?(earlier: object, later: object): object | undefined;
}

const isId = (value: unknown) => value === undefined || typeof value === "string";

/** Sees the messages of a format. */
export function seeAll(format: Format, switches: Switches, messages: readonly unknown[]): Seen[] {
  const at = { path: "messages" };
  const seen = reading(at, () => format.see(messages, switches, at));
  settle(seen);
  const { messageId } = switches;
  if (messageId) {
    seen.forEach((message, index) => {
      message.id = ask("messageId", "a string or undefined", isId, () => messageId(messages[index] as never, index));
    });
  }
  return seen;
}

/** Reads a history of a format. */
export function readWith(format: Format, switches: Switches, given: readonly unknown[], lists: Lists): ReadHistory {
  // The list is read once: what the host does to it meanwhile changes nothing.
  const messages = [...given] as object[];
  const seen = seeAll(format, switches, messages);
  const isProtected = protection(format, switches, seen);
  const writer = new FlatWriter(lists);
  seen.forEach((message, index) => {
    writeMessage(writer, message, isProtected(index));
  });
  const block = (message: number, block: number) =>
    seen[message]?.blocks[block] as { id: string; name: string; text: string | undefined; label?: string };
  return {
    ...writer.finish(),
    messages,
    output: (message, position) => block(message, position).text,
    id: (message, position) => block(message, position).label ?? block(message, position).id,
    name: (message, position) => {
      const { id, name } = block(message, position);
      return [id, name];
    },
    rebuild: (outcome, pairs, template) =>
      new Proposal(format, switches, seen, messages).make(outcome, pairs, template, lists),
  };
}

function writeMessage(writer: FlatWriter, { role, id, blocks }: Seen, isProtected: boolean): void {
  const speaker = role === "user" ? "user" : role === "system" || role === "developer" ? "system" : "assistant";
  writer.message(speaker, id, blocks.length, isProtected);
  for (const block of blocks) {
    switch (block.kind) {
      case "text":
        writer.text(block.text);
        break;
      case "thinking":
        writer.thinking();
        break;
      case "aside":
        writer.aside(block.endsStep === true, block.keepsMessage === true);
        break;
      case "attachment":
        writer.attachment(block.of);
        break;
      case "call":
        writer.call(block.id, block.name, block.input, block.finished ? "finished" : "pending", block);
        break;
      case "result":
        writer.result(block.id, block.name, block.text, block.success ? "success" : "error");
        break;
      default:
        writer.other();
    }
  }
}

const isSigned = ({ blocks }: Seen) => blocks.some((block) => block.kind === "thinking" && block.signed);

const holdsSigned = ({ blocks }: Seen) =>
  blocks.some((block) => (block.kind === "call" || block.kind === "thinking") && block.signed);

/** Marks the calls of the open tool loop, and tells which messages are protected beside those of the request. */
function protection(format: Format, switches: Switches, seen: readonly Seen[]): (index: number) => boolean {
  const isUser = ({ role, blocks, continues = blocks.some(({ kind }) => kind === "result") }: Seen) =>
    role === "user" && !continues;
  const turn = seen.findLastIndex(isUser) + 1;
  const open = seen.slice(turn);
  const refuses = switches.prefixMismatch === "error" && switches.stripThinkingAfterEdit !== true;
  // Any edit breaks the thinking behind it, and a message that holds such thinking itself.
  const bound = refuses ? seen.findLastIndex(isSigned) : -1;
  // Who speaks of bound thinking has a provider that checks the loop, also once the thinking is gone.
  const binds = switches.stripThinkingAfterEdit === true || (switches.prefixMismatch ?? "ignore") !== "ignore";
  const { checksTurn } = format;
  const checks = binds || (checksTurn === "signed" ? open.some(holdsSigned) : checksTurn);
  const { protectCurrentTurn = bound >= 0 ? "all" : checks && "calls" } = switches;
  if (protectCurrentTurn === "calls") {
    for (const block of open.flatMap(({ blocks }) => blocks)) if (block.kind === "call") block.stays = true;
  }
  return (index) => index <= bound || (protectCurrentTurn === "all" && index >= turn);
}

/** A result that gets shorter. */
type Shortened = ResultBlock & { id: string; text: string };

/** A message of the result, and where it came from. */
interface Entry {
  index: number;
  message: object;
  seen: Seen;
  hasCalls: boolean;
}

/** The proposed messages in the making. */
class Proposal {
  private readonly map: Int32Array;

  constructor(
    private readonly format: Format,
    private readonly switches: Switches,
    private readonly seen: readonly Seen[],
    private readonly messages: readonly object[],
  ) {
    this.map = new Int32Array(seen.length).fill(-1);
  }

  make(outcome: OutcomeArray, pairs: readonly DecidedPair[], template: string, lists: Lists): Rebuilt {
    const gone = byMessage(outcome[2]);
    const texts = this.newTexts(pairs, template, lists);
    if (this.switches.stripThinkingAfterEdit) this.strip(gone, outcome[0].first_changed_message);
    const entries: Entry[] = [];
    this.seen.forEach((seen, index) => {
      const removed = gone.get(index);
      if (removed !== undefined && isEmptied(seen, removed)) return;
      const edit = editOf(removed, texts.get(index));
      const message = edit ? rebuilt(seen, edit, index) : (this.messages[index] as object);
      const hasCalls = seen.blocks.some(({ kind }, block) => kind === "call" && !removed?.has(block));
      entries.push({ index, message, seen, hasCalls });
    });
    return { messages: this.merged(entries), map: this.map };
  }

  private newTexts(pairs: readonly DecidedPair[], template: string, lists: Lists): Map<number, Map<number, string>> {
    const texts = new Map<number, Map<number, string>>();
    for (const { decision, cut } of pairs) {
      if (!cut) continue;
      const [message, block] = decision.result_at;
      const { text, id, label = id } = (this.seen[message] as Seen).blocks[block] as Shortened;
      const reference = Object.hasOwn(lists.references, id) ? lists.references[id] : undefined;
      const line = cutText(text, label, cut, template, reference);
      add(texts, message, () => new Map<number, string>()).set(block, line);
    }
    return texts;
  }

  /** Adds the thinking that an edit before it makes invalid. */
  private strip(gone: Map<number, Set<number>>, first: number | null): void {
    if (first === null) return;
    for (let index = first; index < this.seen.length; index++) {
      (this.seen[index] as Seen).blocks.forEach((block, position) => {
        if (block.kind === "thinking" && block.signed) add(gone, index, () => new Set<number>()).add(position);
      });
    }
  }

  /** Writes the map, and merges messages of the agent that touch since something between them went. */
  private merged(entries: readonly Entry[]): object[] {
    const merges = this.format.merges?.(this.messages, this.switches) ?? false;
    const messages: object[] = [];
    let run: Entry[] = [];
    const close = (asOne: boolean) => {
      const [first, last] = [run[0], run.at(-1)];
      const isNew = first !== undefined && last !== undefined && last.index - first.index >= run.length;
      let before: object | undefined;
      for (const { index, message } of run) {
        const one = asOne && isNew && before !== undefined ? this.format.merge?.(before, message) : undefined;
        if (one === undefined) messages.push(message);
        else messages[messages.length - 1] = one;
        before = one ?? message;
        this.map[index] = messages.length - 1;
      }
      run = [];
    };
    for (const entry of entries) {
      const speaks = entry.seen.role === "assistant";
      if (!speaks) close(merges === "all");
      run.push(entry);
      if (!speaks) close(false);
      else if (entry.hasCalls) close(merges !== false);
    }
    close(merges === "all");
    return messages;
  }
}

function rebuilt(seen: Seen, edit: Edit, index: number): object {
  try {
    return seen.rebuild(edit);
  } catch (cause) {
    const path = `messages[${index}]`;
    throw invalidRequest(path, `${path} cannot be made anew: its class or one of its values threw`, { cause });
  }
}

function editOf(removed: Set<number> | undefined, texts: Map<number, string> | undefined): Edit | undefined {
  if (!removed && !texts) return undefined;
  return {
    isGone: (block) => removed?.has(block) === true,
    textOf: (block) => texts?.get(block),
  };
}

/** Whether nothing is left that counts. */
function isEmptied({ blocks }: Seen, removed: ReadonlySet<number>): boolean {
  return blocks.every(
    (block, position) =>
      removed.has(position) || block.kind === "thinking" || (block.kind === "aside" && !block.keepsMessage),
  );
}
