/** Cases that are a sequence of steps in words, and what they expect of all their calls together. */
import { CompactionError, type CompactionRequest, type CompactionResult, type Message } from "keepline";
import { freshCopy } from "../support/copy.js";
import { request as smallRequest, step, user } from "../support/requests.js";
import { same } from "../support/same.js";
import { answering } from "../support/scripted.js";
import type { Run } from "./case.js";

type Package = typeof import("keepline");

/** The outcome of one call of a sequence. */
interface Outcome {
  result?: CompactionResult;
  error?: unknown;
  /** What the decision function threw, where it did. */
  thrown?: unknown;
}

/** A loaded copy of the package and how many instances of the module it made. */
interface Copy {
  keepline: Package;
  instances: number;
}

class Sequence {
  readonly outcomes: Outcome[] = [];
  readonly copies: Copy[] = [];
  unsettled = 0;
  private loading: Copy | undefined;
  private readonly Instance = WebAssembly.Instance;

  constructor(private readonly run: Run) {
    const sequence = this;
    WebAssembly.Instance = new Proxy(this.Instance, {
      construct(target, args) {
        if (sequence.loading) sequence.loading.instances++;
        return Reflect.construct(target, args);
      },
    });
  }

  end(): void {
    WebAssembly.Instance = this.Instance;
  }

  private get request(): CompactionRequest {
    const { messages: _, ...rest } = this.run.request;
    return {
      ...smallRequest([user("Go."), step("c1"), user("Next.")]),
      ...rest,
      options: { preserve_recent_messages: 1 },
    };
  }

  /** A fresh copy of the package, as if loaded anew. */
  private async load(): Promise<Copy> {
    const copy: Copy = { keepline: await freshCopy(), instances: 0 };
    this.copies.push(copy);
    return copy;
  }

  private async copy(): Promise<Copy> {
    return this.copies.at(-1) ?? this.load();
  }

  /** Runs something with a copy, and counts its instances. */
  private async with<T>(copy: Copy, task: (keepline: Package) => Promise<T>): Promise<T> {
    this.loading = copy;
    this.unsettled++;
    try {
      return await task(copy.keepline);
    } finally {
      this.unsettled--;
      this.loading = undefined;
    }
  }

  private async compact(request: unknown, model: unknown = this.model, thrown?: unknown): Promise<void> {
    const outcome: Outcome = thrown === undefined ? {} : { thrown };
    this.outcomes.push(outcome);
    try {
      outcome.result = await this.with(await this.copy(), (keepline) =>
        keepline.compactContext(request as CompactionRequest, model as never, { maxRetries: 0 }),
      );
    } catch (error) {
      outcome.error = error;
    }
  }

  private get model() {
    const { call = 0, result = 0 } = this.run.answers.default ?? {};
    return answering((question) => (question.startsWith("call") ? call : result));
  }

  private withMessages(messages: unknown): unknown {
    return { ...this.request, messages };
  }

  /** What each step in words does. */
  private readonly steps: Record<string, () => Promise<unknown>> = {
    "a valid small call": () => this.compact(this.request),
    "the first valid call again": () => this.compact(this.request),
    "decision function throws synchronously": () => {
      const thrown = new Error("scripted");
      return this.compact(
        this.request,
        () => {
          throw thrown;
        },
        thrown,
      );
    },
    "decision function returns a non-promise": () => this.compact(this.request, () => 7),
    "decision function returns a rejected promise with undefined": () =>
      this.compact(this.request, () => Promise.reject(undefined)),
    "messages is null": () => this.compact(this.withMessages(null)),
    "messages holds a getter that throws": () => {
      const thrown = new Error("getter");
      const message = { role: "user" as const };
      Object.defineProperty(message, "content", {
        enumerable: true,
        get() {
          throw thrown;
        },
      });
      return this.compact(this.withMessages([message as unknown as Message]), this.model, thrown);
    },
    "messages is a Proxy that throws on ownKeys": () => {
      const thrown = new Error("ownKeys");
      const proxy = new Proxy([user("Go.")], {
        ownKeys() {
          throw thrown;
        },
      });
      return this.compact(this.withMessages(proxy), this.model, thrown);
    },
    "a 400 MB result string (skip where memory is short)": () =>
      this.compact(smallRequest([user("Go."), step("c1", "x".repeat(400_000_000)), user("Next.")])),
    "ten init() calls at once without waiting": async () => {
      await this.with(await this.load(), ({ init }) => Promise.all(Array.from({ length: 10 }, () => init())));
      await this.compact(this.request);
    },
    "compact() before any init": async () => {
      await this.load();
      await this.compact(this.request);
    },
    "init() again after use": async () => {
      await this.with(await this.copy(), ({ init }) => init());
      await this.compact(this.request);
    },
    "init() with a different source after use": async () => {
      await this.with(await this.copy(), ({ init }) => init(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])));
      await this.compact(this.request);
    },
    "two copies of the package in one page": async () => {
      for (let index = 0; index < 2; index++) {
        await this.load();
        await this.compact(this.request);
      }
    },
  };

  async do(words: string): Promise<void> {
    const step = Object.hasOwn(this.steps, words) ? this.steps[words] : undefined;
    if (!step) throw new Error(`unknown step: ${words}`);
    await step();
  }
}

const failures = (outcomes: readonly Outcome[]) => outcomes.filter(({ error }) => error !== undefined);

/** Every message of an error and of its causes. */
function messagesOf(error: unknown): string[] {
  const found: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) found.push(at.message);
  return found;
}

const plain = (result: CompactionResult | undefined) =>
  result && { ...result, stats: { ...result.stats, elapsed_ms: 0 } };

/** What the words say of a sequence. */
const WORDS: Record<string, (sequence: Sequence, said: never) => boolean> = {
  first_and_last_result_equal: ({ outcomes }, said: boolean) =>
    said === (outcomes[0]?.result !== undefined && same(plain(outcomes[0].result), plain(outcomes.at(-1)?.result))),
  every_failure_is_an_Error_with_code: ({ outcomes }, said: boolean) =>
    said ===
    failures(outcomes).every(
      ({ error }) => error instanceof Error && CompactionError.isInstance(error) && typeof error.code === "string",
    ),
  cause_preserved: ({ outcomes }, said: boolean) =>
    said === outcomes.every(({ error, thrown }) => thrown === undefined || (error as Error)?.cause === thrown),
  no_error_text: ({ outcomes }, parts: string[]) =>
    !parts.some((part) =>
      failures(outcomes)
        .flatMap(({ error }) => messagesOf(error))
        .some((text) => text.includes(part)),
    ),
  all_calls_settle: ({ unsettled, outcomes }, said: boolean) =>
    said ===
    (unsettled === 0 && outcomes.every(({ result, error }) => (result === undefined) !== (error === undefined))),
  instances_per_copy: ({ copies }, instances: number) => copies.every((copy) => copy.instances === instances),
};

/** Runs the steps and tells what is wrong. */
export async function runSequence(run: Run): Promise<string[]> {
  const sequence = new Sequence(run);
  try {
    for (const words of run.sequence ?? []) await sequence.do(words);
  } finally {
    sequence.end();
  }
  const found: string[] = [];
  for (const [word, said] of run.expect.flatMap(Object.entries)) {
    if (word === "note") continue;
    const check = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
    if (!check) throw new Error(`unknown word: ${word}`);
    if (!check(sequence, said as never)) {
      const outcomes = sequence.outcomes.map(({ result, error }) => result?.reason ?? String(error));
      found.push(
        `${word} ${JSON.stringify(said)}: ${JSON.stringify([outcomes, sequence.copies.map(({ instances }) => instances)])}`,
      );
    }
  }
  return found;
}
