/**
 * The chat formats of the page. To add one, write a file like `anthropic.ts` and put it into `vendors.ts`. What is not needed for the
 * sample is loaded when a file needs it.
 */
import { agentscope, plain } from "./agentscope.js";
import type { Format, Opened } from "./format.js";

/** A document and the format that takes it. */
export interface Detected extends Opened {
  format: Format;
}

/** The format of a parsed document, or undefined where none takes it. */
export async function detect(document: unknown): Promise<Detected | undefined> {
  return taken([agentscope], document) ?? taken([...(await import("./vendors.js")).vendors, plain], document);
}

function taken(formats: readonly Format[], document: unknown): Detected | undefined {
  for (const format of formats) {
    const opened = format.open(document);
    if (opened) return { ...opened, format };
  }
  return undefined;
}
