/** One opened history: what is in it, what was answered, and what comes of it. */
import {
  CompactionError,
  type CompactionResult,
  type Decision,
  type DecisionModel,
  type InspectedRequest,
  localDecisionModel,
  type Progress,
} from "keepline";
import type { Piece, Settings } from "../formats/format.js";
import { type Detected, detect } from "../formats/registry.js";
import { type CallPlaces, Calls, type Place, type Placed } from "./calls.js";
import type { Comparison } from "./compare.js";
import { codePoints, previewOf } from "./count.js";
import { type Document, DocumentError } from "./document.js";
import type {
  Ask,
  Asked,
  Change,
  Changes,
  Curve,
  JobProgress,
  MessageHead,
  ModelChoice,
  Outcome,
  PairView,
  RequestView,
  SessionHead,
  Shown,
  Verdict,
  Why,
} from "./protocol.js";

/** Text of one piece that the page shows at most. */
const LONGEST_SHOWN = 400_000;
/** Text of one piece in the comparison. */
const LONGEST_COMPARED = 20_000;
/** Of what the user said last, offered as a goal. */
const LONGEST_GOAL = 2000;
/** Calls from which on the curve has fewer points. */
const MANY_CALLS = 1500;
/** Share of progress that reading takes is told by the reader; indexing tells every so many messages. */
const INDEX_STEP = 200;

/** Counting the characters of 40 MB takes longer than deciding; the session does it once for each message. */
const UNCOUNTED = { shareUnchanged: true, countChars: false };

const NOTHING: Settings = {
  goal: "-",
  eligible_tool_names: [],
  protected_message_ids: [],
  protected_call_ids: [],
  options: {},
};

export class Session {
  private asked: Decision[] = [];
  private result: CompactionResult<unknown>;
  private calls = new Calls([], []);
  /** Code points of the JSON of messages. */
  private readonly sizes = new WeakMap<object, number>();
  private version = 0;

  private constructor(
    /** Read again when the result is written: keeping the text would take as much memory as the history. */
    private readonly source: Blob,
    private readonly document: Document,
    private readonly opened: Detected,
  ) {
    this.result = this.opened.format.decide(opened.messages, NOTHING, [], UNCOUNTED);
  }

  /** Finds the format of a document. */
  static async open(source: Blob, document: Document): Promise<Session> {
    const opened = await detect(document.value);
    if (!opened) throw new DocumentError("unknown_format", "no known chat format");
    try {
      return new Session(source, document, opened);
    } catch (thrown) {
      // It says where: the format is known, a message in it is not.
      if (!CompactionError.isInstance(thrown) || thrown.code !== "invalid_request") throw thrown;
      throw new DocumentError("not_usable", thrown.message);
    }
  }

  /** What the page needs to list. */
  head(bytes: number, tell: (progress: JobProgress) => void): SessionHead {
    const { format, messages, settings } = this.opened;
    const parts: Placed[] = [];
    let asked = "";
    const heads = messages.map((message, index): MessageHead => {
      if (index % INDEX_STEP === 0) tell({ phase: "index", done: index, total: messages.length });
      const { role, id, pieces } = format.read(message);
      let chars = 0;
      pieces.forEach((piece, block) => {
        const size = codePoints(piece.text);
        if (isPart(piece)) parts.push({ at: [index, block], piece, chars: size });
        else chars += size;
      });
      const spoken = pieces
        .flatMap(({ kind, text }) => (kind === "text" && text.trim() !== "" ? [text] : []))
        .join("\n");
      if (role === "user" && spoken !== "") asked = spoken.slice(0, LONGEST_GOAL);
      const isBare = chars === 0 && pieces.length > 0 && pieces.every(isPart);
      return { index, role, preview: previewOf(spoken), chars, isBare, ...(id !== undefined && { id }) };
    });
    this.calls = new Calls(parts, this.result.decisions);
    for (const [index, chars] of this.calls.orphans) (heads[index] as MessageHead).chars += chars;
    const { id, label, module, function: name } = format;
    return {
      format: { id, label, module, function: name },
      container: this.document.container,
      bytes,
      messages: heads,
      calls: this.calls.heads,
      tools: this.calls.tools(),
      asked,
      settings,
    };
  }

  /** Asks the model. */
  async run(
    { settings, model, language }: { settings: Settings; model: ModelChoice; language: "en" | "zh" },
    {
      signal,
      tell,
      ask,
    }: { signal: AbortSignal; tell: (progress: Progress) => void; ask: (ask: Ask) => Promise<Record<string, number>> },
  ): Promise<Outcome> {
    this.version++;
    const names = new Map(this.result.decisions.map(({ id, call_id, tool }) => [id, { call_id, tool }]));
    const chosen =
      model.kind === "local"
        ? { model: localDecisionModel({ point: model.point }), runtime: {}, options: {} }
        : await (await import("./models.js")).modelOf(model, names, ask);
    const full = { ...settings, options: { ...chosen.options, ...settings.options } };
    const { format, messages } = this.opened;
    const runtime = { ...chosen.runtime, ...UNCOUNTED, signal, onProgress: tell, language };
    this.result = this.counted(await format.compact(messages, full, chosen.model, runtime));
    this.asked = this.result.decisions;
    return { ...this.outcome(), whys: this.asked.map((decision) => whyOf(decision, language)) };
  }

  /** Takes answers that were given before; their explanations are gone. */
  recall(verdicts: readonly Verdict[]): undefined {
    this.asked = [...verdicts];
  }

  /** The same answers under other settings. */
  decide({ settings, language }: { settings: Settings; language: "en" | "zh" }): Outcome {
    this.version++;
    const { format, messages } = this.opened;
    this.result = this.counted(format.decide(messages, settings, this.asked, { ...UNCOUNTED, language }));
    return this.outcome();
  }

  /** What other thresholds would save; undefined when something newer came in between. */
  async curve({ settings }: { settings: Settings }): Promise<Curve | undefined> {
    const version = this.version;
    const steps = this.result.decisions.length > MANY_CALLS ? 10 : 25;
    const thresholds = Array.from({ length: steps + 1 }, (_, step) => step / steps);
    const curve: Curve = { thresholds, call: [], result: [] };
    for (const threshold of thresholds) {
      for (const kind of ["call", "result"] as const) {
        curve[kind].push(this.savedAt(settings, { [`keep_${kind}_threshold`]: threshold }));
        await new Promise((resume) => setTimeout(resume));
        if (version !== this.version) return undefined;
      }
    }
    return curve;
  }

  private savedAt(settings: Settings, thresholds: object): number {
    const { format, messages } = this.opened;
    const other = { ...settings, options: { ...settings.options, ...thresholds } };
    const { decisions } = format.decide(messages, other, this.asked, UNCOUNTED);
    return decisions.reduce((sum, { saved_chars }) => sum + saved_chars, 0);
  }

  /** One call in full. */
  async pair(id: string): Promise<PairView> {
    const { call, result } = this.calls.places.get(id) as CallPlaces;
    const { explain, action } = this.asked.find((asked) => asked.id === id) ?? {};
    const before = result ? this.piece(result).text : "";
    const change = result && (await this.comparison()).message(result[0]).pieces[result[1]];
    const after = change?.state === "removed" ? undefined : (change?.after ?? before);
    return {
      id,
      input: shown(this.piece(call).text),
      before: shown(before),
      ...(after !== undefined && { after: shown(after) }),
      ...(explain && action && { explain, explained: action }),
    };
  }

  /** Whether a message is another one in the result. Untouched messages are the same objects. */
  private isChanged(message: unknown, index: number): boolean {
    const mapped = this.result.message_map[index];
    return mapped === null || mapped === undefined || this.result.messages[mapped] !== message;
  }

  private async comparison(): Promise<Comparison> {
    const { format, messages } = this.opened;
    const { Comparison } = await import("./compare.js");
    return new Comparison(format, messages, this.result);
  }

  /** Some of the changed messages. */
  async changes(from: number, count: number): Promise<Changes> {
    const { messages } = this.opened;
    const changed = messages.flatMap((message, index) => (this.isChanged(message, index) ? [index] : []));
    const comparison = await this.comparison();
    const page = changed.slice(from, from + count).map((index) => {
      const message = comparison.message(index);
      return { ...message, pieces: message.pieces.map(cut) };
    });
    return { total: changed.length, messages: page };
  }

  /** The exact requests. */
  async inspect(settings: Settings, endpoint: Asked | undefined, language: "en" | "zh"): Promise<RequestView[]> {
    const { format, messages } = this.opened;
    const model: DecisionModel = () => ({ answers: {} });
    if (endpoint) model.limits = { maxQuestions: endpoint.maxQuestions };
    const requests = await format.inspect(messages, settings, { model, language });
    const { wireBodies } = await import("./models.js");
    const bodies = await wireBodies(requests, endpoint ?? { model: "…", maxQuestions: 64 });
    return requests.map((request: InspectedRequest, index) => ({
      batch: request.batch,
      batches: request.batches,
      questions: Object.keys(request.questions).length,
      body: JSON.stringify(JSON.parse(bodies[index] as string), null, 2),
    }));
  }

  /** What the user takes home: the result in the format of the input, or the decisions. */
  async take(what: "result" | "decisions"): Promise<Blob> {
    if (what === "result") return new Blob([await this.written()]);
    const { decisions, stats } = this.result;
    const explained = new Map(this.asked.map(({ id, explain }) => [id, explain]));
    const list = decisions.map((decision) => ({ ...decision, explain: explained.get(decision.id) }));
    return new Blob([`${JSON.stringify({ decisions: list, stats }, null, 1)}\n`]);
  }

  private async written(): Promise<string> {
    const { messages, message_map } = this.result;
    const origins = new Map<unknown, unknown>();
    message_map.forEach((place, index) => {
      if (place !== null) origins.set(messages[place], this.opened.messages[index]);
    });
    const after = this.opened.wrap(messages, message_map, origins);
    const { writeDocument } = await import("./write.js");
    return writeDocument(this.document, await this.source.text(), after, origins);
  }

  /** The result with its characters, of which only those of changed messages are counted again. */
  private counted(result: CompactionResult<unknown>): CompactionResult<unknown> {
    const [chars_before, chars_after] = [this.opened.messages, result.messages].map((list) => this.charsOf(list));
    return { ...result, stats: { ...result.stats, chars_before: chars_before ?? 0, chars_after: chars_after ?? 0 } };
  }

  /** Code points of the compact JSON of a list. */
  private charsOf(messages: readonly unknown[]): number {
    let sum = 1 + Math.max(1, messages.length);
    for (const message of messages as object[]) {
      let size = this.sizes.get(message);
      if (size === undefined) {
        size = codePoints(JSON.stringify(message));
        this.sizes.set(message, size);
      }
      sum += size;
    }
    return sum;
  }

  private outcome(): Outcome {
    const { decisions, stats } = this.result;
    const verdicts = decisions.map(({ explain: _, ...verdict }) => verdict);
    const changed = this.opened.messages.filter((message, index) => this.isChanged(message, index));
    return { verdicts, stats, unchanged: this.opened.messages.length - changed.length };
  }

  private piece([message, block]: Place): Piece {
    const { pieces } = this.opened.format.read(this.opened.messages[message]);
    return pieces[block] ?? { kind: "other", text: "" };
  }
}

const isPart = ({ kind }: Piece) => kind === "call" || kind === "result";

/** The reasons of a sentence, without what was done. */
function whyOf({ action, explain }: Decision, language: "en" | "zh"): Why | undefined {
  const text = explain?.sentence[language].replace(/^[^:：]*[:：] ?/, "").replace(/[.。]$/, "");
  return text === undefined ? undefined : { action, text };
}

function shown(text: string): Shown {
  return { text: text.slice(0, LONGEST_SHOWN), chars: codePoints(text) };
}

/** A piece as the comparison shows it. */
function cut(change: Change): Change {
  const { text, after } = change;
  const start = (text: string) => (text.length > LONGEST_COMPARED ? `${text.slice(0, LONGEST_COMPARED)}…` : text);
  return { ...change, text: start(text), ...(after !== undefined && { after: start(after) }) };
}
