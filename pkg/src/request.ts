import { isPlain } from "./copy.js";
import { CompactionError, describe, invalidRequest, reading } from "./errors.js";
import type { Lists } from "./flatten.js";

/** A request taken apart. The settings are plain data; the core checks what they say. */
export interface TakenRequest {
  messages: readonly unknown[];
  settings: Record<string, unknown>;
}

/** Settings are three levels deep; what is deeper is wrong anyway. */
const DEEPEST = 4;

/** Takes a request apart, reading each field once. */
export function takeRequest(request: unknown): TakenRequest {
  return reading("request", () => take(request));
}

function take(request: unknown): TakenRequest {
  const settings = takeSettings(request);
  const { messages } = settings;
  delete settings.messages;
  if (!Array.isArray(messages))
    throw invalidRequest("messages", "messages must be a list of message objects", { value: messages });
  return { messages, settings };
}

/** The fields of a request as plain data, the messages as they are. `undefined` counts as absent. */
export function takeSettings(request: unknown): Record<string, unknown> {
  if (typeof request !== "object" || request === null || Array.isArray(request)) {
    throw invalidRequest("request", "the request must be an object", { value: request });
  }
  const settings: Record<string, unknown> = {};
  let path = "request";
  try {
    for (const name of Object.keys(request)) {
      path = name;
      const value = (request as Record<string, unknown>)[name];
      if (value !== undefined) put(settings, name, name === "messages" ? value : plainData(value, name, 0));
    }
  } catch (cause) {
    if (CompactionError.isInstance(cause)) throw cause;
    throw invalidRequest(path, `${path} cannot be read: reading it threw`, { cause });
  }
  return settings;
}

function plainData(value: unknown, path: string, depth: number): unknown {
  if (value === null || typeof value === "boolean" || typeof value === "number" || typeof value === "string")
    return value;
  if (typeof value === "object" && depth < DEEPEST) {
    if (Array.isArray(value)) return value.map((item, index) => plainData(item, `${path}[${index}]`, depth + 1));
    if (isPlain(value)) {
      const copy: Record<string, unknown> = {};
      for (const [name, field] of Object.entries(value)) {
        if (field !== undefined) put(copy, name, plainData(field, `${path}.${name}`, depth + 1));
      }
      return copy;
    }
  }
  throw invalidRequest(path, `${path} must be plain data`, { value });
}

function put(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}

/** An error of the core about the settings, completed with what was found. */
export function withFound(error: CompactionError, settings: Record<string, unknown>): CompactionError {
  const { path } = error;
  if (error.code !== "invalid_request" || path === undefined || !error.message.startsWith(`${path} must`)) return error;
  let value: unknown = settings;
  for (const step of path.split(/[.[\]]+/)) {
    if (step !== "") value = (value as Record<string, unknown> | undefined)?.[step];
  }
  return new CompactionError(error.code, `${error.message}; found ${describe(value)}`, { path });
}

/** What the request lists by id or name, ready to look up. Call it once the core has checked the settings. */
export function listsOf(settings: Record<string, unknown>): Lists {
  const set = (name: string) => new Set(Array.isArray(settings[name]) ? (settings[name] as string[]) : []);
  return {
    eligible: set("eligible_tool_names"),
    protectedMessages: set("protected_message_ids"),
    protectedCalls: set("protected_call_ids"),
    taskStarts: set("task_starts"),
    references: (settings.source_refs ?? {}) as Record<string, string>,
  };
}
