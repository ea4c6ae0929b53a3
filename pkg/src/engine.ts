import { type Glue, instantiate } from "#glue";
import { CompactionError, errorOfFault, isFault } from "./errors.js";
import type { ModuleSource } from "./types.js";

/** How this runtime gets at the module. An entry point fills it in. */
export interface Loader {
  /** Compiles the module. */
  load(): Promise<WebAssembly.Module>;
  /** The same at once, where the runtime can. */
  loadSync?(): WebAssembly.Module;
  /** What to do when it fails. */
  advice: string;
}

/** Memory that an idle instance may hold; wasm memory never shrinks, so a larger one is dropped. */
const IDLE_BYTES = 64 << 20;

/** One live instance of the module, and the calls that depend on it. */
export class Instance {
  readonly glue: Glue;
  /** `[question templates, marker template]` by language. */
  readonly templates: { en: [string, string, string]; zh: [string, string, string] };
  readonly actions: string[];
  readonly reasons: string[];
  /** What the terms of the local model's sums stand for. */
  readonly factors: string[];
  /** Calls in flight: each is told when the instance traps. */
  readonly calls = new Set<(error: CompactionError) => void>();
  trapped: CompactionError | undefined;

  constructor(module: WebAssembly.Module) {
    this.glue = instantiate(module, (task) => queueMicrotask(() => this.guard(task)));
    const templates = (chinese: boolean) => this.glue.templates(chinese).split("\n") as [string, string, string];
    this.templates = { en: templates(false), zh: templates(true) };
    const [actions = "", reasons = "", factors = ""] = this.glue.vocabulary().split("\n");
    this.actions = actions.split(",");
    this.reasons = reasons.split(",");
    this.factors = factors.split(",");
  }

  /** Runs something inside the module; what it throws comes out as a {@link CompactionError}. */
  run<T>(task: (glue: Glue) => T): T {
    if (this.trapped) throw this.trapped;
    try {
      return task(this.glue);
    } catch (thrown) {
      throw this.errorOf(thrown);
    }
  }

  /** What the module threw or rejected with, as the caller gets it. */
  errorOf(thrown: unknown): CompactionError {
    if (CompactionError.isInstance(thrown)) return thrown;
    return isFault(thrown) ? errorOfFault(thrown) : this.trap(thrown);
  }

  private guard(task: () => void): void {
    if (this.trapped) return;
    try {
      task();
    } catch (thrown) {
      this.trap(thrown);
    }
  }

  /** The module is in no known state any more: it is dropped, and the calls in flight are lost. */
  private trap(thrown: unknown): CompactionError {
    this.trapped ??= new CompactionError(
      "internal",
      "keepline failed inside its WebAssembly module; nothing was changed and the next call starts afresh. Please report this with the request",
      { cause: thrown },
    );
    if (current === this) current = undefined;
    const calls = [...this.calls];
    this.calls.clear();
    for (const fail of calls) fail(this.trapped);
    return this.trapped;
  }

  /** Lets go of an instance that grew large, once nothing depends on it. */
  settle(): void {
    if (current === this && this.calls.size === 0 && this.glue.memory.buffer.byteLength > IDLE_BYTES)
      current = undefined;
  }
}

let loader: Loader | undefined;
let compiled: WebAssembly.Module | undefined;
/** Whether the host gave the module. */
let given = false;
let compiling: Promise<WebAssembly.Module> | undefined;
let current: Instance | undefined;

/**
 * Tells how this runtime gets at the module.
 *
 * @param chosen the host named this entry point itself, so that no other one replaces it, whichever comes first
 */
export function useLoader(use: Loader, chosen = false): void {
  if (chosen || !loader) loader = use;
}

/**
 * Compiles the module, or takes a ready one. Optional: the first call does it. May be called any number of times, also at
 * once; only the first source counts, and a failure does not poison later tries.
 *
 * @param source bytes, URL, Response or WebAssembly.Module; by default the module of this package
 */
export async function init(source?: ModuleSource | PromiseLike<ModuleSource>): Promise<void> {
  // What a source that does not count any more comes to is no reason to end the process.
  if (compiled || compiling) Promise.resolve(source).catch(() => undefined);
  compiling ??= compiled ? Promise.resolve(compiled) : compile(source);
  try {
    compiled = await compiling;
  } finally {
    compiling = undefined;
  }
}

async function compile(source?: ModuleSource | PromiseLike<ModuleSource>): Promise<WebAssembly.Module> {
  given = source !== undefined;
  try {
    const taken = await source;
    given = taken !== undefined;
    return await (taken === undefined ? need(loader).load() : compileFrom(taken));
  } catch (cause) {
    throw loadFailed(cause);
  }
}

async function compileFrom(source: Awaited<ModuleSource>): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  const bytes = typeof source === "string" || source instanceof URL ? await fetched(source) : source;
  if (!(typeof Response === "function" && bytes instanceof Response)) return WebAssembly.compile(bytes as BufferSource);
  if (!bytes.ok) throw new Error(`the server answered ${bytes.status} ${bytes.statusText}`);
  // By bytes and not by streaming, which insists on a content type that many servers do not send.
  return WebAssembly.compile(await bytes.arrayBuffer());
}

/** Node's `fetch` knows no files; it is asked for its own way without an import, which other runtimes would stumble over. */
async function fetched(source: string | URL): Promise<Response | BufferSource> {
  const url = String(source);
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: string): { readFile?(file: URL): Promise<BufferSource> } };
  };
  const { readFile } = (url.startsWith("file:") && process?.getBuiltinModule?.("node:fs/promises")) || {};
  return readFile ? readFile(new URL(url)) : fetch(url);
}

/** What to do about a source that the host gave. */
const ADVICE_ON_SOURCE =
  "Give init() the file keepline/core.wasm of this very version, as bytes, URL, Response or WebAssembly.Module; in a page, allow 'wasm-unsafe-eval' and the address of the file (connect-src) in the Content-Security-Policy; a Worker takes a WebAssembly.Module only";

/** What to do where no loader is. */
const ADVICE_ON_SLIM =
  "keepline/slim brings none: await init(source) first, with the file keepline/core.wasm as bytes, URL, Response or WebAssembly.Module";

function need(use: Loader | undefined): Loader {
  if (!use) throw new Error("init(source) was not called");
  return use;
}

/** What to do where something is missing that every runtime has, as in jsdom. By its name: it may be another realm's. */
function adviceOnGlobals(cause: unknown): string | undefined {
  const { name, message } = (cause ?? {}) as Partial<Error>;
  return name === "ReferenceError"
    ? `Something is missing here that every runtime has (${message}): give tests that run in jsdom the environment "node", or set it on globalThis`
    : undefined;
}

function loadFailed(cause: unknown): CompactionError {
  const advice = adviceOnGlobals(cause) ?? (given ? ADVICE_ON_SOURCE : (loader?.advice ?? ADVICE_ON_SLIM));
  return new CompactionError("load_failed", `the WebAssembly module of keepline could not be loaded. ${advice}`, {
    cause,
  });
}

/** The live instance; made anew after a trap. */
export async function ready(): Promise<Instance> {
  if (!compiled) await init();
  return instance();
}

/** The live instance at once: for synchronous functions, once the module is compiled. */
export function readySync(): Instance {
  if (!compiled) {
    if (!loader?.loadSync) {
      throw new CompactionError(
        "load_failed",
        "the WebAssembly module of keepline is not loaded yet; await init() before calling a synchronous function",
      );
    }
    given = false;
    try {
      compiled = loader.loadSync();
    } catch (cause) {
      throw loadFailed(cause);
    }
  }
  return instance();
}

function instance(): Instance {
  if (!current) {
    try {
      current = new Instance(compiled as WebAssembly.Module);
    } catch (cause) {
      // Another module than ours; too little memory may pass.
      if (!(cause instanceof RangeError)) compiled = undefined;
      throw loadFailed(cause);
    }
  }
  return current;
}
