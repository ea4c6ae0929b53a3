/** Counting and cutting text by Unicode code points. A lone surrogate counts as one. */

const MAY_BE_PAIRED = /[\ud800-\udbff]/;

/** Number of code points. Text without surrogates is not scanned unit by unit. */
export function codePoints(text: string): number {
  return MAY_BE_PAIRED.test(text) ? text.length - pairs(text, text.length) : text.length;
}

/** Surrogate pairs that begin before a unit. */
function pairs(text: string, end: number): number {
  let count = 0;
  for (let at = 0; at < end; at++) {
    if (isPair(text, at)) {
      count++;
      at++;
    }
  }
  return count;
}

function isPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0xd800 || unit > 0xdbff) return false;
  const next = text.charCodeAt(at + 1);
  return next >= 0xdc00 && next <= 0xdfff;
}

/** The first `count` code points. */
export function headOf(text: string, count: number): string {
  let at = 0;
  for (let left = count; left > 0 && at < text.length; left--) at += isPair(text, at) ? 2 : 1;
  return text.slice(0, at);
}

/** The last `count` code points. */
export function tailOf(text: string, count: number): string {
  let at = text.length;
  for (let left = count; left > 0 && at > 0; left--) at -= at > 1 && isPair(text, at - 2) ? 2 : 1;
  return text.slice(at);
}

/** Longest call id that a marker shows, in code points. */
const LONGEST_ID = 64;
const SIMPLE = /^[\w.:/+=@-]*$/;
/** What would begin a new line somewhere; JSON does not escape it. */
const LINE_BREAKS = /[\u0085\u2028\u2029]/g;

/** A text as inside a JSON string, on one line. */
export function escaped(text: string): string {
  if (SIMPLE.test(text)) return text;
  const quoted = JSON.stringify(text).slice(1, -1);
  return quoted.replace(LINE_BREAKS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A call id as a marker shows it: cut, then escaped. */
export function escapedId(id: string): string {
  if (id.length <= LONGEST_ID) return escaped(id);
  const cut = headOf(id, LONGEST_ID);
  return cut.length < id.length ? `${escaped(cut)}…` : escaped(id);
}

/** What stands in a result for what was left out. */
export function marker(
  template: string,
  leftOut: number,
  total: number,
  id: string,
  reference: string | undefined,
): string {
  const parts = [
    String(leftOut),
    String(total),
    escapedId(id),
    reference === undefined ? "" : ` ${escaped(reference)}`,
  ];
  // The placeholders are the code points 0 to 3.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the core chose them because no text holds them
  return template.replace(/[\0-\x03]/g, (sign) => parts[sign.charCodeAt(0)] as string);
}

/** Head, marker and tail with line feeds between what is there. */
export function shortened(text: string, head: number, tail: number, line: string): string {
  return [headOf(text, head), line, tailOf(text, tail)].filter((part) => part !== "").join("\n");
}
