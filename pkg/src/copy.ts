import { CompactionError, invalidRequest } from "./errors.js";

/** A copy, and how far it is filled. */
interface Frame {
  source: object;
  target: object;
  /** Keys of the values still to copy, or the values themselves of a Set; undefined: every index of an array. */
  keys: readonly unknown[] | undefined;
  length: number;
  next: number;
  /** The key that leads here from the container around it. */
  key: unknown;
}

/**
 * An isolated deep copy: plain objects and arrays without recursion, Date, URL, RegExp, Map, Set and buffers cloned, anything
 * else shared. What is reached twice is copied once. A cycle or a throwing getter is `invalid_request` with its path.
 */
export function deepCopy<T>(root: T, path: string): T {
  const known = new Map<object, Frame>();
  const frames: Frame[] = [];
  /** The key being read in the innermost container. */
  let reading: unknown;
  const pathNow = () => {
    const keys = [...frames.map(({ key }) => key), reading].slice(1);
    const steps = keys.map((key, depth) =>
      Array.isArray(frames[depth]?.source) ? `[${String(key)}]` : `.${String(key)}`,
    );
    return path + steps.join("");
  };

  const copy = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const before = known.get(value);
    if (before) {
      if (before.next < before.length || frames.includes(before)) throw leadsBack(pathNow());
      return before.target;
    }
    const frame = begin(value, reading);
    known.set(value, frame);
    if (frame.length > 0) frames.push(frame);
    return frame.target;
  };

  try {
    const made = copy(root);
    for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
      if (frame.next === frame.length) {
        frames.pop();
        continue;
      }
      reading = frame.keys ? frame.keys[frame.next] : frame.next;
      frame.next++;
      const { source, target } = frame;
      if (source instanceof Map) (target as Map<unknown, unknown>).set(reading, copy(source.get(reading)));
      else if (source instanceof Set) (target as Set<unknown>).add(copy(reading));
      else put(target, reading as string, copy(source[reading as keyof typeof source]));
    }
    return made as T;
  } catch (cause) {
    if (CompactionError.isInstance(cause)) throw cause;
    throw invalidRequest(pathNow(), `${pathNow()} cannot be read: reading it threw`, { cause });
  }
}

function leadsBack(path: string): CompactionError {
  return invalidRequest(path, `${path} leads back to an object it is part of; a history must be a tree`);
}

/** An empty copy of a container, or the whole copy of anything else. */
function begin(source: object, key: unknown): Frame {
  const frame = { source, target: source, keys: undefined as readonly unknown[] | undefined, length: 0, next: 0, key };
  if (Array.isArray(source)) {
    frame.target = new Array(source.length);
    frame.length = source.length;
    // Holes stay holes, named fields of a list stay too.
    const keys = Object.keys(source);
    if (keys.length !== source.length) fill(frame, keys);
  } else if (isPlain(source)) {
    const prototype = Object.getPrototypeOf(source);
    frame.target = prototype === Object.prototype ? {} : Object.create(prototype);
    const keys: PropertyKey[] = Object.keys(source);
    const symbols = Object.getOwnPropertySymbols(source);
    if (symbols.length > 0)
      keys.push(...symbols.filter((symbol) => Object.prototype.propertyIsEnumerable.call(source, symbol)));
    fill(frame, keys);
  } else if (source instanceof Map) {
    frame.target = new Map();
    fill(frame, [...source.keys()]);
  } else if (source instanceof Set) {
    frame.target = new Set();
    fill(frame, [...source]);
  } else {
    frame.target = clone(source);
  }
  return frame;
}

function fill(frame: Frame, keys: readonly unknown[]): void {
  frame.keys = keys;
  frame.length = keys.length;
}

function put(target: object, key: PropertyKey, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  else (target as Record<PropertyKey, unknown>)[key] = value;
}

/** An object literal, also of another realm. */
export function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return (
    prototype === Object.prototype ||
    prototype === null ||
    (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "hasOwnProperty"))
  );
}

/** A copy of an object without values to go into; anything unknown is shared. */
function clone(value: object): object {
  if (value instanceof Date) return new Date(value.getTime());
  if (value instanceof RegExp)
    return Object.assign(new RegExp(value.source, value.flags), { lastIndex: value.lastIndex });
  if (typeof URL === "function" && value instanceof URL) return new URL(value.href);
  if (value instanceof ArrayBuffer) return value.slice(0);
  if (ArrayBuffer.isView(value)) return cloneView(value);
  return value;
}

/** A typed array, DataView or Buffer over a buffer of its own. */
function cloneView(view: ArrayBufferView): object {
  const buffer = view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);
  const kind = (view as { [Symbol.toStringTag]?: string })[Symbol.toStringTag] ?? "DataView";
  const Kind = (globalThis as unknown as Record<string, new (buffer: ArrayBufferLike) => object>)[kind];
  const copy = Kind ? new Kind(buffer) : new DataView(buffer);
  return Object.setPrototypeOf(copy, Object.getPrototypeOf(view));
}

/** A shallow copy with other values for some fields: same class, same key order. A class with private fields that its getters need throws. */
export function withFields<T extends object>(object: T, fields: Partial<T>): T {
  if (isPlain(object)) {
    const copy = Object.getPrototypeOf(object) === null ? Object.assign(Object.create(null), object) : { ...object };
    return Object.assign(copy, fields);
  }
  // A frozen object's fields could not be defined again, so they are described anew before the copy is made.
  const described = Object.getOwnPropertyDescriptors(object) as Record<string, PropertyDescriptor>;
  for (const [key, value] of Object.entries(fields)) {
    described[key] = { value, writable: true, enumerable: true, configurable: true };
  }
  const copy = Object.create(Object.getPrototypeOf(object), described);
  checkReadable(object, copy);
  return copy;
}

/** Private fields of a class are on its own instances alone: a copy that needs them would fail whenever it is read. */
function checkReadable(object: object, copy: object): void {
  const reads = (of: object, name: PropertyKey) => {
    try {
      const value: unknown = Reflect.get(of, name);
      if (name === "toJSON" && typeof value === "function") value.call(of);
      return true;
    } catch {
      return false;
    }
  };
  const above = (at: object): object | null => Object.getPrototypeOf(at);
  for (let at = above(object); at !== null && above(at) !== null; at = above(at)) {
    for (const name of Reflect.ownKeys(at)) {
      const isRead = name === "toJSON" || Object.getOwnPropertyDescriptor(at, name)?.get !== undefined;
      if (isRead && reads(object, name) && !reads(copy, name))
        throw new TypeError(`${String(name)} of a copy cannot be read: the class has private fields`);
    }
  }
}
