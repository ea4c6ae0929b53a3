/** The page's side of the worker. A job that does not stop when it is told to ends with its worker. */
import type { Ask, Fault, JobName, JobProgress, Jobs, ToPage, ToWorker } from "./protocol.js";

/** How long a cancelled job may take to stop by itself, in milliseconds. */
const GRACE = 250;

/** A job of the worker failed. */
export class JobError extends Error {
  readonly code: string;

  constructor({ code, message }: Fault) {
    super(message);
    this.code = code;
  }
}

interface Waiting {
  resolve(output: unknown): void;
  reject(error: JobError): void;
  tell: ((progress: JobProgress) => void) | undefined;
}

export class Client {
  private worker = this.start();
  private readonly waiting = new Map<number, Waiting>();
  private next = 1;
  /** The file that is open, to open it again in another worker. */
  private source: Blob | undefined;

  constructor(
    private readonly onAsk: (ask: Ask) => void,
    /** The worker is another one, which has opened the file again and knows no answers. */
    private readonly onRestart: () => void,
  ) {}

  /** Starts a job; gives its number, by which it can be cancelled, and its outcome. */
  begin<K extends JobName>(
    name: K,
    input: Jobs[K][0],
    tell?: (progress: JobProgress) => void,
  ): [number, Promise<Jobs[K][1]>] {
    const job = this.next++;
    const outcome = new Promise<Jobs[K][1]>((resolve, reject) => {
      this.waiting.set(job, { resolve: resolve as (output: unknown) => void, reject, tell });
    });
    this.post({ job, name, input } as ToWorker);
    if (name === "open") this.remember(outcome, (input as Jobs["open"][0]).source);
    return [job, outcome];
  }

  /** Does a job that is not cancelled. */
  do<K extends JobName>(name: K, input: Jobs[K][0]): Promise<Jobs[K][1]> {
    return this.begin(name, input)[1];
  }

  /** Answers what the user was asked. */
  answer(answers: Record<string, number>): void {
    this.post({ answers });
  }

  /** Stops a job, if need be with its worker; what was open is then opened again. */
  cancel(job: number): void {
    this.post({ cancel: job });
    setTimeout(() => this.waiting.has(job) && this.restart(), GRACE);
  }

  private remember(outcome: Promise<unknown>, source: Blob): void {
    const keep = () => {
      this.source = source;
    };
    outcome.then(keep, () => undefined);
  }

  private restart(): void {
    this.worker.terminate();
    this.fail({ code: "aborted", message: "cancelled" });
    this.worker = this.start();
    if (!this.source) return;
    void this.do("open", { source: this.source }).catch(() => undefined);
    this.onRestart();
  }

  private fail(fault: Fault): void {
    const lost = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of lost) reject(new JobError(fault));
  }

  private start(): Worker {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("error", ({ message }) => this.fail({ code: "load_failed", message: message || "worker" }));
    worker.addEventListener("message", ({ data }: MessageEvent<ToPage>) => this.receive(data));
    return worker;
  }

  private post(message: ToWorker): void {
    this.worker.postMessage(message);
  }

  private receive(message: ToPage): void {
    if ("ask" in message) this.onAsk(message.ask);
    else if ("progress" in message) this.waiting.get(message.job)?.tell?.(message.progress);
    else this.settle(message);
  }

  private settle(message: Extract<ToPage, { output: unknown } | { fault: Fault }>): void {
    const waiting = this.waiting.get(message.job);
    this.waiting.delete(message.job);
    if ("fault" in message) waiting?.reject(new JobError(message.fault));
    else waiting?.resolve(message.output);
  }
}
