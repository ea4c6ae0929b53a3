/**
 * The chat formats of the page. To add one, write a file beside this one that fills in `Format` and put it here; the first that
 * takes a document has it, so the pickier ones come first.
 */
import { agentscope } from "./agentscope.js";
import type { Format, Opened } from "./format.js";

export const formats: readonly Format[] = [agentscope];

/** A document and the format that takes it. */
export interface Detected extends Opened {
  format: Format;
}

/** The format of a parsed document, or undefined where none takes it. */
export function detect(document: unknown): Detected | undefined {
  for (const format of formats) {
    const opened = format.open(document);
    if (opened) return { ...opened, format };
  }
  return undefined;
}
