/** Small helpers over messages of any kind. */
import type { Piece } from "./format.js";

export type Fields = Record<string, unknown>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

/** Whether a test holds for all but a tenth: one odd message makes no history another format's. */
export const nearly = <T>(items: readonly T[], test: (item: T) => boolean): boolean =>
  items.filter((item) => !test(item)).length * 10 <= items.length;

/** Any value as text; a string is its own. */
export const shownText = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);

/** Text of a content: a string, or parts, of which those without text are shown as JSON. */
export function textOf(content: unknown): string {
  if (!Array.isArray(content)) return shownText(content);
  return content.map((part) => shownText(fieldsOf(part).text ?? part)).join("\n");
}

/** What is text, or is shown as JSON. */
export const plainPiece = (part: unknown): Piece =>
  typeof fieldsOf(part).text === "string"
    ? { kind: "text", text: (part as { text: string }).text }
    : { kind: "other", text: shownText(part) };

export const callPiece = (id: unknown, tool: unknown, input: unknown): Piece => ({
  kind: "call",
  text: shownText(input),
  call_id: String(id),
  tool: String(tool ?? ""),
});

export const resultPiece = (id: unknown, text: string): Piece => ({ kind: "result", text, call_id: String(id) });

/** Pieces of a content, as adapters count its blocks: an empty string is none. */
export function contentPieces(content: unknown, piece: (part: unknown) => Piece = plainPiece): Piece[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  return listOf(content).map(piece);
}
