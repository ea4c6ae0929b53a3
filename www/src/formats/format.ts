/** What the page needs to know of a chat format. Each format is one file; `registry.ts` lists them. */
import type {
  CompactionOptions,
  CompactionResult,
  DecisionModel,
  GivenDecision,
  InspectedRequest,
  LocalDecisionModel,
  RuntimeOptions,
} from "keepline";

/** What a user sets; names as in the request. */
export interface Settings {
  goal: string;
  next_action?: string;
  eligible_tool_names: string[];
  protected_message_ids: string[];
  protected_call_ids: string[];
  source_refs?: Record<string, string>;
  options: CompactionOptions;
}

/** The messages of a document, and what the document itself says about them. */
export interface Opened {
  messages: unknown[];
  /** Settings that the document carries. */
  settings: Partial<Settings>;
  /**
   * The document again with other messages; `map` tells for each message where it is now, or that it is gone. What of the document is
   * made anew for that is noted in `origins`.
   */
  wrap(messages: readonly unknown[], map: readonly (number | null)[], origins: Map<unknown, unknown>): unknown;
}

/** A piece of a message as the page shows it. */
export interface Piece {
  kind: "text" | "thinking" | "call" | "result" | "other";
  text: string;
  /** Of calls and results. */
  call_id?: string;
  tool?: string;
}

/** A chat format. */
export interface Format {
  id: string;
  label: string;
  /** Entry point of the package, for the code snippet. */
  module: string;
  /** The function of that entry point. */
  function: string;
  /** Takes a parsed document, or says that it is another format's. */
  open(document: unknown): Opened | undefined;
  /** Role of a message, its id where it has one, and its pieces in order; positions are those of decisions. */
  read(message: unknown): { role: string; id?: string; pieces: Piece[] };
  compact(
    messages: readonly unknown[],
    settings: Settings,
    model: DecisionModel | LocalDecisionModel,
    runtime?: RuntimeOptions,
  ): Promise<CompactionResult<unknown>>;
  decide(
    messages: readonly unknown[],
    settings: Settings,
    decisions: readonly GivenDecision[],
    runtime?: Pick<RuntimeOptions, "shareUnchanged" | "countChars" | "language">,
  ): CompactionResult<unknown>;
  inspect(
    messages: readonly unknown[],
    settings: Settings,
    options: { model?: DecisionModel; language?: "en" | "zh" },
  ): Promise<InspectedRequest[]>;
}
