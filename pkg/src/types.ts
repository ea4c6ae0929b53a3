/**
 * The public types. Names follow the wire: the request and the result are snake_case, what is not data is camelCase.
 */

/** A block that is not read, or read only as far as its kind says. Unknown fields stay untouched. */
export interface Block {
  type: string;
  [field: string]: unknown;
}

/** Conversation text. */
export interface TextBlock extends Block {
  type: "text";
  text: string;
}

/** A tool call. */
export interface ToolCallBlock extends Block {
  type: "tool_call";
  id: string;
  name: string;
  /** The input as the text of a JSON object. */
  input: string;
  /** Only `finished` calls are candidates. */
  state?: "pending" | "asking" | "allowed" | "submitted" | "finished";
}

/** The result of a tool call with the same `id`. */
export interface ToolResultBlock extends Block {
  type: "tool_result";
  id: string;
  name: string;
  /** Text, or a list of blocks; only text and non-empty lists of text blocks are candidates. */
  output: string | Block[];
  /** Only `success` results are candidates. */
  state?: "running" | "success" | "error" | "interrupted" | "denied";
}

/** A message of AgentScope 2.x. Fields beside these stay untouched. */
export interface Message {
  id?: string;
  role: "user" | "assistant" | "system";
  /** A string is read as one text block. */
  content: string | readonly (Block | TextBlock | ToolCallBlock | ToolResultBlock)[];
}

/** Numbers and modes of a request, all with a default. Sizes and cuts count Unicode code points. */
export interface CompactionOptions {
  /** The line for both questions, 0–1. @default 0.5 */
  keep_threshold?: number;
  /** The line for the call question, 0–1. @default keep_threshold */
  keep_call_threshold?: number;
  /** The line for the result question, 0–1. @default keep_threshold */
  keep_result_threshold?: number;
  /** Messages at the end that are protected; messages, not turns. @default 6 */
  preserve_recent_messages?: number;
  /** Estimated ceiling of the observation view, in tokens. @default 25000 */
  max_state_tokens?: number;
  /** Estimated ceiling of view and questions of one request, in tokens, 256 of which are reserved. @default 30000 */
  max_request_tokens?: number;
  /** Most windows the history is seen through where one view does not fit. @default 64 */
  max_windows?: number;
  /** Results shorter than this are not asked about. @default 0 */
  min_result_chars?: number;
  /** Prefix that `drop_result` keeps. @default 300 */
  truncate_head_chars?: number;
  /** Suffix that `drop_result` keeps, after the marker. @default 0 */
  truncate_tail_chars?: number;
  /** What `drop_call` does: remove both blocks, or leave the call and make its output the marker alone. @default "remove" */
  drop_call_mode?: "remove" | "stub";
  /** Whether thinking that led only to removed calls goes with them. @default "keep" */
  thinking_with_call?: "keep" | "drop";
  /** A proposal that saves less is not made. @default 0 */
  min_saved_chars?: number;
  /** Decision requests in flight, 1–32. @default 4 */
  max_concurrency?: number;
  /** All decision requests together, queueing included, in seconds. @default 30 */
  total_timeout_seconds?: number;
}

/** What to compact, and what happens next. Unknown fields are an error. */
export interface CompactionRequest<M = Message> {
  /** The history. Never changed. */
  messages: readonly M[];
  /** What the agent does next. Shown to the decision model whole. */
  goal: string;
  /** Finer than the goal. */
  next_action?: string;
  /** Call id → the host's own reference to the archived original, named in the marker of a shortened result. @default {} */
  source_refs?: Readonly<Record<string, string>>;
  /** The only tools whose calls may be touched; exact names. @default [] */
  eligible_tool_names?: readonly string[];
  /** Messages that are always kept. @default [] */
  protected_message_ids?: readonly string[];
  /** Calls that are always kept. @default [] */
  protected_call_ids?: readonly string[];
  /** Ids of messages where the host knows that a new task begins (read by the local model). @default [] */
  task_starts?: readonly string[];
  /** How full the host's context is, 0–1 (read by the local model). */
  context_fill?: number;
  options?: CompactionOptions;
}

/** One binary question. */
export interface Question {
  type: "binary";
  instructions: string;
}

/** What the decision model gets. Frozen; do not keep it longer than the call. */
export interface DecisionRequest {
  /** The observation view. The same frozen object in every batch of a window, made on first access. */
  readonly state: Readonly<Record<string, unknown>>;
  /** Exactly the JSON text of `state`, so that a transport need not serialise again. */
  readonly stateJson: string;
  /** Question name (`call_t1`, `result_t1`, …) → question. */
  readonly questions: Readonly<Record<string, Question>>;
}

/** What the decision model is told about a request. */
export interface DecisionContext {
  /** Fires on the attempt's timeout, on the total timeout, on the host's abort, or when another batch failed. */
  signal: AbortSignal;
  /** Number of the request, from 0 over all windows. */
  batch: number;
  /** How many requests there are. */
  batches: number;
  /** 0 for the first attempt, 1 for the first retry, and so on. */
  attempt: number;
}

/** A probability from 0 to 1, bare or in any of the field's dialects. */
export type Answer =
  | number
  | { type: "binary_answer"; probability: number }
  | { type: "boolean"; probability: number }
  | { type: "predicate"; probability: number }
  | { type: "noul"; noul: number }
  | { probability: number };

/** What the decision model gives back. Answers to names that were not asked are ignored. */
export interface DecisionResponse {
  answers: Readonly<Record<string, Answer>>;
  /** Handed on to `stats.usage`. */
  usage?: unknown;
  model?: string;
}

/** Says how probable it is that a call still matters and that its full output must stay. */
export interface DecisionModel {
  (request: DecisionRequest, context: DecisionContext): PromiseLike<DecisionResponse> | DecisionResponse;
  /** What the model itself allows. */
  limits?: {
    /** Most questions in one request; at least 2, since a pair of questions is never split. */
    maxQuestions?: number;
    /** Most tokens in one request. */
    maxRequestTokens?: number;
  };
}

/** How bold the local model is. */
export type LocalPoint = "careful" | "balanced" | "firm";

/** Where outputs are cut: as the options of the request say, or where the local model suggests. */
export type LocalCut = "options" | "suggested";

/** The embedded decision model, passed in place of a function. */
export interface LocalDecisionModel {
  readonly kind: "local";
  readonly point: LocalPoint;
  readonly cut: LocalCut;
}

/** The local model and another one together; `keepline/models/combine` makes it. Passed in place of a function. */
export interface CombinedDecisionModel {
  readonly kind: "combined";
  readonly local: LocalDecisionModel;
  readonly remote: DecisionModel;
  /** When the other one is asked: about what the local model is not sure of, or always, with the local one where it fails. */
  readonly remoteFor: "uncertain" | "all";
  /** The local model is not sure of a probability between these. */
  readonly band: readonly [low: number, high: number];
}

/** Everything that can decide. */
export type AnyDecisionModel = DecisionModel | LocalDecisionModel | CombinedDecisionModel;

/** Where a compaction is. */
export interface Progress {
  /** Reading the history, asking the model, applying the decisions. */
  phase: "prepare" | "decide" | "apply";
  /** Requests answered so far; for the other phases 0 or 1. */
  done: number;
  /** Requests altogether; for the other phases 1. */
  total: number;
}

/** What part of the request a text is that {@link RuntimeOptions.redact} gets. */
export type RedactedPart = "goal" | "next_action" | "text" | "input" | "tool";

/** Hides credentials in a text of the view; what it returns is shown. For an input it gets the JSON text. */
export type Redact = (text: string, part: RedactedPart) => string;

/** What is not data. */
export interface RuntimeOptions {
  /** Aborts the call. */
  signal?: AbortSignal;
  /** Told how far it is. Throwing rejects the call. */
  onProgress?: (progress: Progress) => void;
  /** Told of each request just before it leaves, for audit logs. Throwing rejects the call, and the request is not sent. */
  onRequest?: (request: DecisionRequest) => void;
  /** One attempt times out after this. @default 10 */
  timeoutSeconds?: number;
  /** A failed attempt is repeated so many times. @default 1 */
  maxRetries?: number;
  /** The wait before the first retry, doubled for each further one, with full jitter. @default 0.5 */
  retryDelaySeconds?: number;
  /** Return the very same objects for untouched messages instead of an isolated deep copy. @default false */
  shareUnchanged?: boolean;
  /** Count the characters of the snapshot's JSON text; costs about as much as serialising it. @default true */
  countChars?: boolean;
  /** Whether credentials are hidden from the decision model, or the host's own way to do it. @default true */
  redact?: boolean | Redact;
  /** Language of questions and marker. @default "en" */
  language?: "en" | "zh";
}

/** What becomes of a pair. */
export type Action = "keep" | "drop_result" | "drop_call";

/** Why: a candidate's reason, or the rule that protects the pair. */
export type Reason =
  | "result_needed"
  | "result_not_needed"
  | "call_not_needed"
  | "group_kept"
  | "already_shortened"
  | "not_asked"
  /** The call is not needed, but its tool loop is still open and the provider checks it (chat formats of providers). */
  | "current_turn"
  | "protected_message"
  | "protected_call"
  /** The chat format ties the call to something that stays. */
  | "provider_bound"
  | "tool_not_eligible"
  | "call_not_finished"
  | "result_not_success"
  | "tool_name_mismatch"
  | "non_text_output"
  | "too_small";

/** What a number of an explanation stands for. */
export type ExplainCode =
  /** Calls from this one to the end. */
  | "age"
  /** Later calls that change something, each counted as much as it is on topic. */
  | "changes_since"
  /** Code points that dropping it frees: below 1,000 they speak against it, above for it; those of scripts without spaces weigh double. */
  | "frees"
  /** Code points of the input. */
  | "input_chars"
  /** 1: the call lists things. */
  | "list_result"
  /** 1: the call changes something, so that it stays. */
  | "mutating"
  /** 1: the input names a path or a file. */
  | "names_path"
  /** Later calls with the same name and input, at most 3. */
  | "repeated_later"
  /** 1: the call searches. */
  | "search_result"
  /** Share of the long lines of the output that a later output repeats. */
  | "superseded"
  /** Whether its part of the chat is about the running task: 0 for an ended task, 1 for the running one. */
  | "topic_ended"
  /** Identifiers and other names in the output that no later output repeats and nobody spoke of. */
  | "unspoken_identifiers";

/** One term of a sum. */
export interface ExplainFactor {
  code: ExplainCode;
  /** The number that people can check. */
  value: number;
  /** What it adds to the log-odds of keeping: negative speaks for dropping. */
  contribution: number;
}

/** A sum: `z` is `base` plus all contributions, and the probability is `1 / (1 + exp(-z))`. */
export interface ExplainedSum {
  z: number;
  /** Log-odds before any factor, at the operating point. */
  base: number;
  /** Largest contribution first, whatever its sign; those that add nothing are left out. */
  factors: ExplainFactor[];
}

/** Why the local model decided so. */
export interface Explanation {
  /** What `keep_result` is made of. */
  result: ExplainedSum;
  /** What `keep_call` is made of. */
  call: ExplainedSum;
  /** What to keep of the output if it is shortened, in code points: the end gets more than the start, on line ends. */
  cut: { head_chars: number; tail_chars: number };
  /** For people. */
  sentence: { en: string; zh: string };
}

/** The outcome for one pair. Locations count in the input. */
export interface Decision {
  /** `t1`, `t2`, … in the order of the calls. */
  id: string;
  call_id: string;
  tool: string;
  /** Message and block of the call. */
  call_at: [message: number, block: number];
  /** Message and block of the result. */
  result_at: [message: number, block: number];
  action: Action;
  reason: Reason;
  /** Whether the action changed anything. */
  applied: boolean;
  /** Code points of output removed less the marker; for a removed call output and input. */
  saved_chars: number;
  /** Probability that the call still matters; absent for protected pairs. */
  keep_call?: number;
  /** Probability that the full output must stay; absent where that was not asked. */
  keep_result?: number;
  /** Where the output is cut, where the local model was told to suggest that; in place of the options. */
  cut?: { head_chars: number; tail_chars: number };
  /** Why, where the local model was asked. */
  explain?: Explanation;
}

/** Counts of a compaction. */
export interface Stats {
  messages_before: number;
  messages_after: number;
  /** Code points of the compact JSON of the snapshot; null with `countChars: false`. */
  chars_before: number | null;
  chars_after: number | null;
  /** Views the history was seen through; 0 for the local model. */
  windows: number;
  /** Pairs that could be asked about. */
  candidates: number;
  /** Pairs that could not. */
  protected: number;
  /** Call and result blocks left alone because their id is carried by more than one. */
  duplicate_ids: number;
  /** Other call and result blocks that are in no pair. */
  unpaired: number;
  /** Estimated tokens of the largest view; null for the local model. */
  state_tokens: number | null;
  /** How far the view was shrunk; null for the local model. */
  state_stage: string | null;
  requests: number;
  /** Candidates that the local model decided alone, where it was combined with another one. */
  decided_locally?: number;
  /** Why the local model decided in place of the other one, where it was its fallback. */
  fallback?: { code: string; message: string };
  retries: number;
  /** As the provider gave it, in batch order. */
  usage: unknown[];
  elapsed_ms: number;
  /** Index in the input of the first message that differs: a prompt cache survives up to there. */
  first_changed_message: number | null;
  /** Decisions per action, protected pairs included. */
  actions: Record<Action, number>;
  /** Code points that dropping every candidate would have saved. */
  max_saved_chars: number;
}

/** The proposed snapshot. */
export interface CompactionResult<M = Message> {
  schema_version: 1;
  messages: M[];
  changed: boolean;
  reason: "compacted" | "no_change" | "no_candidates";
  /** One for each pair, in the order of the calls, protected ones included. */
  decisions: Decision[];
  /** For each message of the input its index in the result, or null where it was removed. */
  message_map: (number | null)[];
  stats: Stats;
}

/** For whom `inspectRequests` shows what would be sent, and how. */
export interface InspectOptions extends Pick<RuntimeOptions, "redact" | "language"> {
  /** Whose limits count. A combined model shows all that its other one might be asked. */
  model?: AnyDecisionModel;
}

/** A request as {@link inspectRequests} shows it. */
export interface InspectedRequest extends DecisionRequest {
  readonly batch: number;
  readonly batches: number;
}

/** What is not data, for `applyDecisions`. */
export type ApplyOptions = Pick<RuntimeOptions, "shareUnchanged" | "countChars" | "language">;

/** What `applyDecisions` reads of a decision. */
export interface GivenDecision {
  id: string;
  call_id: string;
  keep_call?: number;
  keep_result?: number;
  cut?: { head_chars: number; tail_chars: number };
  explain?: Explanation;
}

/** A source of the WebAssembly module. */
export type ModuleSource =
  | BufferSource
  | URL
  | string
  | Response
  | WebAssembly.Module
  | PromiseLike<BufferSource | Response | WebAssembly.Module>;
