import { invalidRequest } from "./errors.js";

/** A container on its way to be copied. */
interface Frame {
  source: object;
  /** Keys still to do, or entries of a Map or Set. */
  keys: readonly unknown[];
  next: number;
  put: (key: unknown, value: unknown) => void;
  read: (key: unknown) => unknown;
  /** What leads here from the container before. */
  step: string;
}

/**
 * An isolated deep copy: plain objects and arrays without recursion, Date, URL, RegExp, Map, Set and buffers cloned, anything
 * else shared. What is reached twice is copied once. A cycle or a throwing getter is `invalid_request` with its path.
 */
export function deepCopy<T>(root: T, path: string): T {
  const copies = new Map<object, object>();
  const open = new Set<object>();
  const frames: Frame[] = [];
  const pathTo = (step: string) => path + frames.map((frame) => frame.step).join("") + step;

  const copy = (value: unknown, step: string): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const known = copies.get(value);
    if (known) {
      if (open.has(value))
        throw invalidRequest(
          pathTo(step),
          `${pathTo(step)} leads back to an object it is part of; a history must be a tree`,
        );
      return known;
    }
    const [made, frame] = begin(value);
    copies.set(value, made);
    if (frame) {
      open.add(value);
      frames.push({ ...frame, step });
    }
    return made;
  };

  const made = attempt(
    () => copy(root, ""),
    () => path,
  );
  for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
    if (frame.next === frame.keys.length) {
      open.delete(frame.source);
      frames.pop();
      continue;
    }
    const key = frame.keys[frame.next++];
    const step = Array.isArray(frame.source) ? `[${String(key)}]` : `.${String(key)}`;
    const { read, put } = frame;
    const value = attempt(
      () => read(key),
      () => pathTo(step),
    );
    put(
      key,
      attempt(
        () => copy(value, step),
        () => pathTo(step),
      ),
    );
  }
  return made as T;
}

function attempt<T>(task: () => T, path: () => string): T {
  try {
    return task();
  } catch (cause) {
    if (cause instanceof Error && cause.name === "CompactionError") throw cause;
    throw invalidRequest(path(), `${path()} cannot be read: reading it threw`, { cause });
  }
}

/** The copy of a value, and how to fill it when it is a container. */
function begin(value: object): [object, Omit<Frame, "step">?] {
  if (Array.isArray(value)) {
    const target: unknown[] = new Array(value.length);
    // Holes stay holes.
    const keys = Object.keys(value);
    return [
      target,
      {
        source: value,
        keys,
        next: 0,
        read: (key) => value[key as number],
        put: (key, item) => put(target, key as string, item),
      },
    ];
  }
  if (isPlain(value)) {
    const target = Object.create(Object.getPrototypeOf(value)) as object;
    const keys = Reflect.ownKeys(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));
    return [
      target,
      {
        source: value,
        keys,
        next: 0,
        read: (key) => (value as never)[key as never],
        put: (key, item) => put(target, key as string, item),
      },
    ];
  }
  return clone(value);
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

function clone(value: object): [object, Omit<Frame, "step">?] {
  if (value instanceof Date) return [new Date(value.getTime())];
  if (value instanceof RegExp)
    return [Object.assign(new RegExp(value.source, value.flags), { lastIndex: value.lastIndex })];
  if (typeof URL === "function" && value instanceof URL) return [new URL(value.href)];
  if (value instanceof ArrayBuffer) return [value.slice(0)];
  if (ArrayBuffer.isView(value)) return [cloneView(value)];
  if (value instanceof Map) {
    const target = new Map();
    const keys = [...value.keys()];
    return [
      target,
      { source: value, keys, next: 0, read: (key) => value.get(key), put: (key, item) => target.set(key, item) },
    ];
  }
  if (value instanceof Set) {
    const target = new Set();
    return [
      target,
      { source: value, keys: [...value], next: 0, read: (item) => item, put: (_, item) => target.add(item) },
    ];
  }
  return [value];
}

/** A typed array, DataView or Buffer over a buffer of its own. */
function cloneView(view: ArrayBufferView): object {
  const buffer = view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);
  const kind = (view as { [Symbol.toStringTag]?: string })[Symbol.toStringTag] ?? "DataView";
  const Kind = (globalThis as unknown as Record<string, new (buffer: ArrayBufferLike) => object>)[kind];
  const copy = Kind ? new Kind(buffer) : new DataView(buffer);
  return Object.setPrototypeOf(copy, Object.getPrototypeOf(view));
}

/** A shallow copy with other values for some fields: same class, same key order. */
export function withFields<T extends object>(object: T, fields: Partial<T>): T {
  if (isPlain(object)) {
    const copy = Object.getPrototypeOf(object) === null ? Object.assign(Object.create(null), object) : { ...object };
    return Object.assign(copy, fields);
  }
  const copy = Object.create(Object.getPrototypeOf(object), Object.getOwnPropertyDescriptors(object));
  for (const [key, value] of Object.entries(fields)) {
    Object.defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true });
  }
  return copy;
}
