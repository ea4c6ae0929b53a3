/** Reads a file: JSON or one JSON value a line, with progress. */
import type { JobProgress } from "./protocol.js";

/** A parsed file and how to write it again. */
export interface Document {
  container: "json" | "jsonl";
  value: unknown;
  write(value: unknown): string;
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
    return { container: "json", value: JSON.parse(text), write: (value) => `${JSON.stringify(value, null, 1)}\n` };
  } catch (cause) {
    const values = parseLines(text);
    if (values) return { container: "jsonl", value: values, write: writeLines };
    throw new DocumentError("not_json", (cause as Error).message);
  }
}

function parseLines(text: string): unknown[] | undefined {
  const values: unknown[] = [];
  try {
    for (const line of text.split("\n")) if (line.trim() !== "") values.push(JSON.parse(line));
  } catch {
    return undefined;
  }
  return values.length > 1 ? values : undefined;
}

function writeLines(value: unknown): string {
  return (value as unknown[]).map((line) => `${JSON.stringify(line)}\n`).join("");
}
