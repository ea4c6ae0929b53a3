/** Writes a document with another value in it; loaded when the result is taken home. */
import { type Document, linesOf } from "./document.js";
import { counterparts, type Origins, rewrite } from "./rewrite.js";

/** The text of a file with another value in it; what did not change keeps its bytes. */
export function writeDocument({ container, value }: Document, text: string, after: unknown, origins: Origins): string {
  if (container === "json") return rewrite(text, value, after, origins);
  const [before, now] = [value, after] as unknown[][] as [unknown[], unknown[]];
  const places = counterparts(before, now, origins);
  return linesOf(text)
    .flatMap((line, index) => {
      const place = places[index];
      return place === undefined ? [] : [`${rewrite(line, before[index], now[place], origins)}\n`];
    })
    .join("");
}
