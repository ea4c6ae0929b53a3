/** The worker: does one job after the other, so that the page never waits. */
import { CompactionError, init } from "keepline";
import wasm from "../../../pkg/dist/keepline.wasm?url";
import { DocumentError, parseDocument, readText } from "./document.js";
import type { Ask, Fault, JobName, JobProgress, Jobs, ToPage, ToWorker } from "./protocol.js";
import { Session } from "./session.js";

const ready = init(fetch(wasm));
// Told by the job that needs it.
ready.catch(() => undefined);

let session: Session | undefined;
/** What opens; every other job waits for it. */
let opening: Promise<unknown> = Promise.resolve();
let answer: ((answers: Record<string, number>) => void) | undefined;
const running = new Map<number, AbortController>();

const post = (message: ToPage) => postMessage(message);

/** What a job may use. */
interface Context {
  signal: AbortSignal;
  tell(progress: JobProgress): void;
}

type Worker = { [K in JobName]: (input: Jobs[K][0], context: Context) => Promise<Jobs[K][1]> | Jobs[K][1] };

function current(): Session {
  if (!session) throw new DocumentError("no_session", "nothing is open");
  return session;
}

function ask(questions: Ask): Promise<Record<string, number>> {
  post({ ask: questions });
  return new Promise((resolve) => {
    answer = resolve;
  });
}

const jobs: Worker = {
  async open({ source }, { tell }) {
    const text = await readText(source, tell);
    tell({ phase: "parse", done: 0, total: 1 });
    const document = parseDocument(text);
    await ready;
    tell({ phase: "index", done: 0, total: 1 });
    const opened = await Session.open(source, document);
    const head = opened.head(source.size, tell);
    session = opened;
    return head;
  },
  run: (input, { signal, tell }) => current().run(input, { signal, tell, ask }),
  decide: (input) => current().decide(input),
  recall: ({ verdicts }) => current().recall(verdicts),
  curve: (input) => current().curve(input),
  pair: ({ id }) => current().pair(id),
  changes: ({ from, count }) => current().changes(from, count),
  inspect: ({ settings, endpoint, language }) => current().inspect(settings, endpoint, language),
  take: ({ what }) => current().take(what),
};

function faultOf(thrown: unknown): Fault {
  const isKnown = CompactionError.isInstance(thrown) || thrown instanceof DocumentError;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: isKnown ? thrown.code : "internal", message };
}

async function work({ job, name, input }: Extract<ToWorker, { job: number }>): Promise<void> {
  const controller = new AbortController();
  running.set(job, controller);
  const context: Context = { signal: controller.signal, tell: (progress) => post({ job, progress }) };
  try {
    const task = jobs[name] as (input: unknown, context: Context) => unknown;
    if (name !== "open") await opening;
    const output = Promise.resolve(task(input, context));
    if (name === "open") opening = output.catch(() => undefined);
    post({ job, output: await output });
  } catch (thrown) {
    post({ job, fault: faultOf(thrown) });
  } finally {
    running.delete(job);
  }
}

addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  if ("cancel" in data) running.get(data.cancel)?.abort();
  else if ("answers" in data) answer?.(data.answers);
  else void work(data);
});
