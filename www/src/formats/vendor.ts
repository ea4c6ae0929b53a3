/** A format of the page made of an adapter of the package. */
import { locate } from "./container.js";
import type { Fields } from "./fields.js";
import type { Format, Opened, Piece, Settings } from "./format.js";

/** The functions of an adapter, for messages of any kind. */
export interface Adapter {
  compactMessages(messages: readonly never[], settings: never, model: never, runtime?: never): Promise<unknown>;
  decideMessages(messages: readonly never[], settings: never, decisions: never, runtime?: never): unknown;
  inspectMessages(messages: readonly never[], settings: never, options?: never): Promise<unknown>;
}

/** What differs from format to format. */
export interface Vendor extends Pick<Format, "id" | "label" | "module"> {
  isOurs(messages: readonly Fields[]): boolean;
  /** Role and pieces of a message; the pieces are the blocks of the adapter, one for one, since decisions name their places. */
  read(message: Fields): { role: string; pieces: Piece[] };
  /** What the object around the messages says to the adapter. */
  switches?(holder: Fields): object;
}

/** Protected messages are named by their place: most formats have no ids. */
const messageId = (_message: unknown, index: number) => `m${index}`;

/** The format of an adapter. */
export function vendor({ isOurs, read, switches, ...head }: Vendor, adapter: Adapter): Format {
  const ids = new WeakMap<object, string>();
  const told = new WeakMap<object, object>();
  const open = (document: unknown): Opened | undefined => {
    for (const { messages, holder, wrap } of locate(document)) {
      if (!isOurs(messages)) continue;
      messages.forEach((message, index) => {
        ids.set(message, messageId(message, index));
      });
      told.set(messages, { messageId, ...(holder && switches?.(holder)) });
      return { messages, settings: {}, wrap };
    }
    return undefined;
  };
  const runtimeOf = (messages: readonly unknown[], runtime?: object) =>
    ({ ...runtime, ...told.get(messages) }) as never;
  const rest = (settings: Settings) => settings as never;
  return {
    ...head,
    function: "compactMessages",
    open,
    read(message) {
      const id = ids.get(message as object);
      return { ...read(message as Fields), ...(id !== undefined && { id }) };
    },
    compact: (messages, settings, model, runtime) =>
      adapter.compactMessages(
        messages as never[],
        rest(settings),
        model as never,
        runtimeOf(messages, runtime),
      ) as ReturnType<Format["compact"]>,
    decide: (messages, settings, decisions, runtime) =>
      adapter.decideMessages(
        messages as never[],
        rest(settings),
        decisions as never,
        runtimeOf(messages, runtime),
      ) as ReturnType<Format["decide"]>,
    inspect: (messages, settings, options) =>
      adapter.inspectMessages(messages as never[], rest(settings), runtimeOf(messages, options)) as ReturnType<
        Format["inspect"]
      >,
  };
}
