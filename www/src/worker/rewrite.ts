/**
 * Writes a changed value into the text that the old one was read from: what is the very same value keeps its bytes, so that big
 * numbers, escapes, key order and white space survive. Only what changed is written anew.
 */

/** A stretch of the text that holds a value. */
interface Span {
  /** White space before it included. */
  from: number;
  start: number;
  end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const COMMA = 0x2c;

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** What a changed object was made of, where somebody knows. */
export type Origins = ReadonlyMap<unknown, unknown>;

/** The text with another value in it. `text` must be the JSON of `before`; `after` shares with `before` what did not change. */
export function rewrite(text: string, before: unknown, after: unknown, origins: Origins = new Map()): string {
  const start = spaceEnd(text, 0);
  const end = valueEnd(text, start);
  const writer = new Writer(text, origins);
  const written = text.slice(0, start) + writer.value({ from: start, start, end }, before, after) + text.slice(end);
  // A key that comes twice, or what no rule here foresaw: then the values count, not the bytes.
  const isRight = JSON.stringify(JSON.parse(written)) === JSON.stringify(after);
  return isRight ? written : `${JSON.stringify(after, null, 1)}\n`;
}

/** For each item of a list its place in the changed list, or undefined where it went. Places ascend. */
export function counterparts(
  before: readonly unknown[],
  after: readonly unknown[],
  origins: Origins = new Map(),
): (number | undefined)[] {
  const places = new Map<unknown, number>();
  after.forEach((item, index) => {
    if (isObject(item)) places.set(origins.get(item) ?? item, index);
  });
  const found = before.map((item) => places.get(item));
  const taken = new Set(found);
  const highs = [...found];
  for (let index = highs.length - 2; index >= 0; index--) highs[index] ??= highs[index + 1];
  // Between two that stayed, those that changed are found by what they have in common.
  let next = 0;
  for (let index = 0; index < before.length; index++) {
    const place = found[index];
    if (place !== undefined) next = Math.max(next, place + 1);
    else if (next < (highs[index] ?? after.length) && !taken.has(next) && isOf(before, index, found, after[next]))
      found[index] = next++;
  }
  return found;
}

/** Items behind one that may have more in common with what stands in the changed list. */
const LOOKAHEAD = 32;
/** How deep two values are compared. */
const DEPTH = 4;

/** Whether an item has something in common with a changed one, and none behind it has more. */
function isOf(
  before: readonly unknown[],
  index: number,
  found: readonly (number | undefined)[],
  now: unknown,
): boolean {
  const own = likeness(before[index], now);
  if (own === 0) return false;
  const end = Math.min(before.length, index + LOOKAHEAD);
  for (let other = index + 1; other < end && found[other] === undefined; other++)
    if (likeness(before[other], now) > own) return false;
  return true;
}

/** How many values two values share. */
function likeness(one: unknown, other: unknown, depth = DEPTH): number {
  if (one === other) return 1;
  if (depth === 0 || !isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) return 0;
  if (Array.isArray(one) && Array.isArray(other)) {
    const items = new Set(one);
    const same = other.filter((item) => items.has(item)).length;
    return same > 0 ? same * 2 : likeness(one[0], other[0], depth - 1);
  }
  const shared = Object.keys(other).filter((key) => Object.hasOwn(one, key));
  return shared.reduce((sum, key) => sum + likeness(one[key], other[key], depth - 1), 0);
}

const fresh = (value: unknown): string => JSON.stringify(value);

/** Writes values of one text. It goes down only where something changed, which is never deep. */
class Writer {
  constructor(
    private readonly text: string,
    private readonly origins: Origins,
  ) {}

  value(span: Span, before: unknown, after: unknown): string {
    const { text } = this;
    if (Object.is(before, after)) return text.slice(span.start, span.end);
    if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) return fresh(after);
    const parts =
      Array.isArray(before) && Array.isArray(after)
        ? this.items(span, before, after)
        : this.fields(span, before, after);
    const [open, close] = [text.charAt(span.start), text.charAt(span.end - 1)];
    if (parts.length === 0) return open + close;
    return `${open}${parts.join(",")}${text.slice(spaceStart(text, span.end - 1), span.end - 1)}${close}`;
  }

  private items(span: Span, before: readonly unknown[], after: readonly unknown[]): string[] {
    const spans = itemSpans(this.text, span);
    const parts: string[] = [];
    let next = 0;
    counterparts(before, after, this.origins).forEach((place, index) => {
      const own = spans[index];
      if (place === undefined || place < next || !own) return;
      for (; next < place; next++) parts.push(fresh(after[next]));
      parts.push(this.text.slice(own.from, own.start) + this.value(own, before[index], after[place]));
      next = place + 1;
    });
    return [...parts, ...after.slice(next).map(fresh)];
  }

  private fields({ start: opening }: Span, before: Fields, after: Fields): string[] {
    const { text } = this;
    const parts: string[] = [];
    const written = new Set<string>();
    const isThere = (name: string) => Object.hasOwn(after, name) && after[name] !== undefined;
    let from = opening + 1;
    for (;;) {
      const key = spaceEnd(text, from);
      if (text.charCodeAt(key) !== QUOTE) break;
      const keyEnd = stringEnd(text, key);
      const name = JSON.parse(text.slice(key, keyEnd)) as string;
      const start = spaceEnd(text, spaceEnd(text, keyEnd) + 1);
      const end = valueEnd(text, start);
      if (isThere(name)) {
        parts.push(text.slice(from, start) + this.value({ from, start, end }, before[name], after[name]));
        written.add(name);
      }
      const comma = spaceEnd(text, end);
      if (text.charCodeAt(comma) !== COMMA) break;
      from = comma + 1;
    }
    for (const name of Object.keys(after))
      if (!written.has(name) && isThere(name)) parts.push(`${JSON.stringify(name)}:${fresh(after[name])}`);
    return parts;
  }
}

function itemSpans(text: string, { start }: Span): Span[] {
  const spans: Span[] = [];
  let from = start + 1;
  for (;;) {
    const first = spaceEnd(text, from);
    if (CLOSING.has(text.charCodeAt(first))) return spans;
    const end = valueEnd(text, first);
    spans.push({ from, start: first, end });
    const comma = spaceEnd(text, end);
    if (text.charCodeAt(comma) !== COMMA) return spans;
    from = comma + 1;
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function spaceEnd(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

function spaceStart(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at - 1))) at--;
  return at;
}

/** Where a string ends that starts here; what is escaped is jumped over. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    let escapes = quote;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes--;
    if ((quote - escapes) % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/** Where the value ends that starts here. The text is known to be JSON. */
function valueEnd(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at);
    else if (OPENING.has(code)) {
      depth++;
      at++;
    } else if (CLOSING.has(code)) {
      // The end of what surrounds a number or a word.
      if (depth === 0) return at;
      depth--;
      at++;
    } else if (depth === 0 && (code === COMMA || isSpace(code))) return at;
    else at++;
    if (depth === 0 && (code === QUOTE || CLOSING.has(code))) return at;
  }
  return at;
}
