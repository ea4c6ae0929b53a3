import type { OutcomeArray } from "#glue";
import type { DecidedPair } from "./apply.js";
import type { Lists } from "./flatten.js";

/** A history that was read: what the core gets, and how the result is made of it. */
export interface ReadHistory {
  numbers: Uint32Array;
  text: string;
  /** The messages as they were when they were read. */
  messages: readonly object[];
  /** The text of the output at a place. */
  output(message: number, block: number): string | undefined;
  /** Call id and tool of the call at a place. */
  name(message: number, block: number): [string, string];
  /** The id of the call or result at a place. */
  id(message: number, block: number): string;
  /** The proposed messages. */
  rebuild(outcome: OutcomeArray, pairs: readonly DecidedPair[], template: string): Rebuilt;
}

/** The proposed messages. */
export interface Rebuilt {
  messages: object[];
  /** For each message of the input its index in the result, -1 where it was removed. */
  map: Int32Array;
}

/** Reads a history of one format. */
export type Reader = (messages: readonly unknown[], lists: Lists) => ReadHistory;
