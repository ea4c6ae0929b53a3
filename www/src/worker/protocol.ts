/** What page and worker tell each other. Texts stay in the worker; the page gets what it shows. */
import type { CompactionResult, Decision, Explanation, LocalPoint, Question } from "keepline";
import type { Format, Piece, Settings } from "../formats/format.js";

/** Who answers the questions. */
export type ModelChoice =
  | { kind: "local"; point: LocalPoint }
  | { kind: "ask" }
  | { kind: "endpoint"; url: string; model: string; key: string; maxQuestions: number; timeoutSeconds: number }
  | { kind: "scripted"; script: string };

/** What of an endpoint shows in its requests. */
export interface Asked {
  model: string;
  maxQuestions: number;
}

/** A message without its texts. */
export interface MessageHead {
  index: number;
  id?: string;
  role: string;
  preview: string;
  /** Code points of what is not a call and not a result. */
  chars: number;
  /** It holds nothing but calls and results, which have rows of their own. */
  isBare: boolean;
}

/** Why keepline leaves a call alone: nothing answers it, its id comes twice, or its halves do not fit each other. */
export type Loose = "no_result" | "duplicate_id" | "no_pair";

/** A call without its texts. */
export interface CallHead {
  id: string;
  call_id: string;
  tool: string;
  preview: string;
  input_chars: number;
  output_chars: number;
  /** Message of the call. */
  message: number;
  /** Message of its result. */
  answered?: number;
  /** Place of its verdict; a call that is no pair has none. */
  verdict?: number;
  loose?: Loose;
}

/** A tool of a session. */
export interface ToolHead {
  name: string;
  calls: number;
  /** Code points of inputs and outputs. */
  chars: number;
}

/** An opened history. */
export interface SessionHead {
  format: Pick<Format, "id" | "label" | "module" | "function">;
  container: "json" | "jsonl";
  bytes: number;
  messages: MessageHead[];
  calls: CallHead[];
  tools: ToolHead[];
  /** What the user said last. */
  asked: string;
  settings: Partial<Settings>;
}

/** A decision without its explanation, which is asked for when it is shown. */
export type Verdict = Omit<Decision, "explain">;

/** What a run or a threshold came to. */
export interface Outcome {
  verdicts: Verdict[];
  stats: CompactionResult["stats"];
  /** Messages that are the same, value for value. */
  unchanged: number;
  /** Of a run whose model gives reasons: by verdict, in the language of the run, and for which action. */
  whys?: (Why | undefined)[];
}

/** Why a model would do what it would do. */
export interface Why {
  action: Decision["action"];
  text: string;
}

/** Characters saved at thresholds, moving one and leaving the other. */
export interface Curve {
  thresholds: number[];
  call: number[];
  result: number[];
}

/** A text and how long it really is. */
export interface Shown {
  text: string;
  chars: number;
}

/** One pair in full. */
export interface PairView {
  id: string;
  input: Shown;
  before: Shown;
  /** Absent where the call went. */
  after?: Shown;
  explain?: Explanation;
  /** What the sentence of the explanation is about. */
  explained?: Decision["action"];
}

/** A piece of a changed message, before and after. */
export interface Change extends Piece {
  state: "same" | "shortened" | "removed";
  after?: string;
  /** The call that it belongs to. */
  pair?: string;
}

/** A changed message. */
export interface ChangedMessage {
  index: number;
  role: string;
  pieces: Change[];
}

/** A page of the changed messages. */
export interface Changes {
  total: number;
  messages: ChangedMessage[];
}

/** A request as it would be sent. */
export interface RequestView {
  batch: number;
  batches: number;
  questions: number;
  body: string;
}

/** How far a job is. */
export interface JobProgress {
  phase: "read" | "parse" | "index" | "prepare" | "decide" | "apply";
  done: number;
  total: number;
}

/** Questions for the user. */
export interface Ask {
  batch: number;
  batches: number;
  questions: Record<string, Question>;
}

/** What the worker does: name → what it takes and gives. */
export interface Jobs {
  open: [input: { source: Blob }, output: SessionHead];
  run: [input: { settings: Settings; model: ModelChoice; language: "en" | "zh" }, output: Outcome];
  decide: [input: { settings: Settings; language: "en" | "zh" }, output: Outcome];
  /** Gives answers back to a session that was opened again. */
  recall: [input: { verdicts: Verdict[] }, output: undefined];
  curve: [input: { settings: Settings }, output: Curve | undefined];
  pair: [input: { id: string }, output: PairView];
  changes: [input: { from: number; count: number }, output: Changes];
  inspect: [input: { settings: Settings; endpoint?: Asked; language: "en" | "zh" }, output: RequestView[]];
  take: [input: { what: "result" | "decisions" }, output: Blob];
}

export type JobName = keyof Jobs;

/** From the page. */
export type ToWorker =
  | { [K in JobName]: { job: number; name: K; input: Jobs[K][0] } }[JobName]
  | { cancel: number }
  | { answers: Record<string, number> };

/** A failure as it crosses. */
export interface Fault {
  code: string;
  message: string;
}

/** From the worker. */
export type ToPage =
  | { job: number; output: unknown }
  | { job: number; fault: Fault }
  | { job: number; progress: JobProgress }
  | { ask: Ask };
