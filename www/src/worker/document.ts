/** Reads a file: JSON or one JSON value a line, with progress. */
import type { JobProgress } from "./protocol.js";

/** A parsed file. */
export interface Document {
  container: "json" | "jsonl";
  value: unknown;
}

/** The file cannot be used; the message says why. */
export class DocumentError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Reads a file as text, telling how far it is. */
export async function readText(source: Blob, tell: (progress: JobProgress) => void): Promise<string> {
  const decoder = new TextDecoder("utf-8");
  const reader = source.stream().getReader();
  const parts: string[] = [];
  let done = 0;
  for (;;) {
    const { value, done: isOver } = await reader.read();
    if (isOver) break;
    parts.push(decoder.decode(value, { stream: true }));
    done += value.length;
    tell({ phase: "read", done, total: source.size });
  }
  parts.push(decoder.decode());
  return parts.join("");
}

/** Parses a text as JSON, or where that fails as lines of JSON. */
export function parseDocument(text: string): Document {
  if (text.trim() === "") throw new DocumentError("empty", "the text is empty");
  try {
    return { container: "json", value: JSON.parse(text) };
  } catch (cause) {
    const values = parseLines(text);
    if (values) return { container: "jsonl", value: values };
    throw new DocumentError("not_json", (cause as Error).message);
  }
}

/** The lines of a text that are not blank. */
export const linesOf = (text: string) => text.split("\n").filter((line) => line.trim() !== "");

function parseLines(text: string): unknown[] | undefined {
  try {
    const values = linesOf(text).map((line): unknown => JSON.parse(line));
    return values.length > 1 ? values : undefined;
  } catch {
    return undefined;
  }
}
