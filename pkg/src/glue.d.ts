/** What the build makes of wasm-bindgen's output; see scripts/build.mjs. Internal. */
declare module "#glue" {
  import type { Host } from "./host.js";

  /** One history on its way through the core. Handed out by `compact`, which takes it; free it in every other case. */
  export class Session {
    static fromFlat(numbers: Uint32Array, text: string, settings: object, host: Partial<Host>): Session;
    static fromJson(text: string, host: Partial<Host>): Session;
    compact(asking: Asking, maxRetries: number, retryDelayMs: number): Promise<OutcomeArray>;
    inspect(asking: Asking): RequestsArray;
    local(point: number, chinese: boolean): OutcomeArray;
    decide(answers: Float64Array, chinese: boolean): OutcomeArray;
    removal(positions: Uint32Array): Uint32Array;
    free(): void;
  }

  /** Language, redaction (0 off, 1 built in, 2 the host's own) and what the model itself allows. */
  export class Asking {
    constructor(chinese: boolean, redaction: number, maxQuestions?: number, maxRequestTokens?: number);
    free(): void;
  }

  /** `[report, decisions, removed blocks, message map, explanations, splices]`. */
  export type OutcomeArray = [Report, Float64Array, Uint32Array, Int32Array, Float64Array, SplicesArray?];
  /** `[views, batches, tools]`. */
  export type RequestsArray = [string[], Uint32Array, string[]];
  /** `[start, end, offsets, texts, ids and names, characters before, characters after]`. */
  export type SplicesArray = [number, number, Uint32Array, string[], string, number, number];

  export interface Report {
    changed: boolean;
    candidates: number;
    protected: number;
    duplicate_ids: number;
    unpaired: number;
    first_changed_message: number | null;
    keep: number;
    drop_result: number;
    drop_call: number;
    max_saved_chars: number;
    windows: number;
    requests: number;
    state_tokens: number | null;
    state_stage: string | null;
  }

  /** The exports of one instance. */
  export interface Glue {
    Asking: typeof Asking;
    Session: typeof Session;
    templates(chinese: boolean): string;
    vocabulary(): string;
    memory: WebAssembly.Memory;
  }

  /** Makes an instance with glue of its own; tasks of the instance run through `queueMicrotask`. */
  export function instantiate(module: WebAssembly.Module, queueMicrotask: (task: () => void) => void): Glue;
}
