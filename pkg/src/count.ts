/** What each ASCII character takes more than itself inside a JSON string. */
const EXTRA = Uint8Array.from({ length: 128 }, (_, unit) => {
  const text = JSON.stringify(String.fromCharCode(unit));
  return text.length - 3;
});

/** Code points of a string as JSON, with its quotes, without making a text of it. A lone half of a pair is escaped. */
function stringChars(text: string): number {
  let chars = text.length + 2;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 128) chars += EXTRA[unit] as number;
    else if (unit >= 0xd800 && unit <= 0xdfff) {
      const next = unit < 0xdc00 ? text.charCodeAt(at + 1) : 0;
      if (next >= 0xdc00 && next <= 0xdfff) {
        chars--;
        at++;
      } else chars += 5;
    }
  }
  return chars;
}

/** Something that contains itself. */
export class CycleError extends Error {}

/** A container whose values are being counted. */
interface Frame {
  container: object;
  values: readonly unknown[];
  next: number;
  chars: number;
}

/**
 * Code points of the compact JSON text of a value, as `JSON.stringify` writes it; a big integer counts as its digits.
 * Without recursion and without ever holding the text; what is reached twice is counted once and added twice.
 */
export function jsonChars(root: unknown): number {
  const known = new Map<object, number>();
  const opened = new Set<object>();
  const frames: Frame[] = [];
  let total = 0;
  const add = (chars: number) => {
    const frame = frames.at(-1);
    if (frame) frame.chars += chars;
    else total += chars;
  };
  const visit = (value: unknown) => {
    const shown = asJson(value);
    if (typeof shown !== "object" || shown === null) return add(scalarChars(shown));
    const before = known.get(shown);
    if (before !== undefined) return add(before);
    if (opened.has(shown)) throw new CycleError("a value contains itself");
    opened.add(shown);
    frames.push(open(shown));
  };
  visit(root);
  for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
    if (frame.next < frame.values.length) {
      visit(frame.values[frame.next++]);
      continue;
    }
    frames.pop();
    opened.delete(frame.container);
    known.set(frame.container, frame.chars);
    add(frame.chars);
  }
  return total;
}

function scalarChars(value: unknown): number {
  if (typeof value === "string") return stringChars(value);
  // `null`, also for numbers that are none.
  if (value === null || (typeof value === "number" && !Number.isFinite(value))) return 4;
  return String(value).length;
}

/** Brackets, commas and keys of a container, and the values that are left to count. */
function open(container: object): Frame {
  if (Array.isArray(container)) {
    const values = Array.from(container, (value) => (isLeftOut(value) ? null : value));
    return { container, values, next: 0, chars: 2 + Math.max(0, values.length - 1) };
  }
  const fields = container as Record<string, unknown>;
  const keys = Object.keys(fields).filter((key) => !isLeftOut(fields[key]));
  const chars = keys.reduce((sum, key) => sum + stringChars(key) + 1, 2 + Math.max(0, keys.length - 1));
  return { container, values: keys.map((key) => fields[key]), next: 0, chars };
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || typeof value === "function" || typeof value === "symbol";
}

/** A value as its JSON text shows it: objects that know their JSON, boxed values. */
function asJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  const json = typeof toJSON === "function" ? (toJSON as () => unknown).call(value) : value;
  return json instanceof Number || json instanceof String || json instanceof Boolean
    ? json.valueOf()
    : isLeftOut(json)
      ? null
      : json;
}
