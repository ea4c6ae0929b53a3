/** One opened history: what is in it, what was answered, and what comes of it. */
import type { CompactionResult, Decision, DecisionModel, InspectedRequest, Progress } from "keepline";
import type { Piece, Settings } from "../formats/format.js";
import { type Detected, detect } from "../formats/registry.js";
import { compareMessage, isChanged } from "./compare.js";
import { codePoints, inputPreview, previewOf } from "./count.js";
import { type Document, DocumentError } from "./document.js";
import { modelOf, wireBody } from "./models.js";
import type {
  Ask,
  Asked,
  CallHead,
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
  ToolHead,
} from "./protocol.js";

/** Text of one piece that the page shows at most. */
const LONGEST_SHOWN = 400_000;
/** Calls from which on the curve has fewer points. */
const MANY_CALLS = 1500;
/** Share of progress that reading takes is told by the reader; indexing tells every so many messages. */
const INDEX_STEP = 200;

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
  private version = 0;

  private constructor(
    private readonly document: Document,
    private readonly opened: Detected,
  ) {
    this.result = this.opened.format.decide(opened.messages, NOTHING, [], { shareUnchanged: true });
  }

  /** Finds the format of a document. */
  static async open(document: Document): Promise<Session> {
    const opened = await detect(document.value);
    if (!opened) throw new DocumentError("unknown_format", "no known chat format");
    return new Session(document, opened);
  }

  /** What the page needs to list. */
  head(bytes: number, tell: (progress: JobProgress) => void): SessionHead {
    const { format, messages, settings } = this.opened;
    const sizes = new Map<string, number>();
    const heads = messages.map((message, index): MessageHead => {
      if (index % INDEX_STEP === 0) tell({ phase: "index", done: index, total: messages.length });
      const { role, id, pieces } = format.read(message);
      pieces.forEach(({ text }, block) => {
        sizes.set(`${index},${block}`, codePoints(text));
      });
      const spoken = pieces.filter(({ kind }) => kind === "text");
      const own = pieces.reduce(
        (sum, { kind }, block) => sum + (isPart(kind) ? 0 : (sizes.get(`${index},${block}`) ?? 0)),
        0,
      );
      return {
        index,
        role,
        preview: previewOf(spoken.map(({ text }) => text).join(" ")),
        chars: own,
        ...(id !== undefined && { id }),
      };
    });
    const calls = this.result.decisions.map((decision) => this.callHead(decision, sizes));
    const { id, label, module, function: name } = format;
    return {
      format: { id, label, module, function: name },
      container: this.document.container,
      bytes,
      messages: heads,
      calls,
      tools: toolsOf(calls),
      settings,
    };
  }

  private callHead({ id, call_id, tool, call_at, result_at }: Decision, sizes: Map<string, number>): CallHead {
    return {
      id,
      call_id,
      tool,
      preview: inputPreview(this.piece(call_at).text),
      input_chars: sizes.get(call_at.join()) ?? 0,
      output_chars: sizes.get(result_at.join()) ?? 0,
      message: call_at[0],
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
    const chosen = modelOf(model, names, ask);
    const full = { ...settings, options: { ...chosen.options, ...settings.options } };
    const { format, messages } = this.opened;
    const runtime = { ...chosen.runtime, signal, onProgress: tell, language, shareUnchanged: true };
    this.result = await format.compact(messages, full, chosen.model, runtime);
    this.asked = this.result.decisions;
    return this.outcome();
  }

  /** The same answers under other settings. */
  decide({ settings, language }: { settings: Settings; language: "en" | "zh" }): Outcome {
    this.version++;
    const { format, messages } = this.opened;
    this.result = format.decide(messages, settings, this.asked, { language, shareUnchanged: true });
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
    const { decisions } = format.decide(messages, other, this.asked, { shareUnchanged: true, countChars: false });
    return decisions.reduce((sum, { saved_chars }) => sum + saved_chars, 0);
  }

  /** One pair in full. */
  pair(id: string): PairView {
    const decision = this.result.decisions.find((decision) => decision.id === id) as Decision;
    const { explain, action } = this.asked.find((asked) => asked.id === id) ?? {};
    const after = this.after(decision);
    return {
      id,
      input: shown(this.piece(decision.call_at).text),
      before: shown(this.piece(decision.result_at).text),
      ...(after !== undefined && { after: shown(after) }),
      ...(explain && action && { explain, explained: action }),
    };
  }

  /** The output in the result; undefined where it went. */
  private after({ call_id, result_at: [message] }: Decision): string | undefined {
    const mapped = this.result.message_map[message];
    if (mapped === null || mapped === undefined) return undefined;
    const { pieces } = this.opened.format.read(this.result.messages[mapped]);
    return pieces.find((piece) => piece.kind === "result" && piece.call_id === call_id)?.text;
  }

  /** Some of the changed messages. */
  changes(from: number, count: number): Changes {
    const { format, messages } = this.opened;
    const changed = messages.flatMap((message, index) => (isChanged(message, index, this.result) ? [index] : []));
    const page = changed
      .slice(from, from + count)
      .map((index) => compareMessage(format, messages[index], index, this.result));
    return { total: changed.length, messages: page };
  }

  /** The exact requests. */
  async inspect(settings: Settings, endpoint: Asked | undefined, language: "en" | "zh"): Promise<RequestView[]> {
    const { format, messages } = this.opened;
    const model: DecisionModel = () => ({ answers: {} });
    if (endpoint) model.limits = { maxQuestions: endpoint.maxQuestions };
    const requests = await format.inspect(messages, settings, { model, language });
    return requests.map((request: InspectedRequest) => ({
      batch: request.batch,
      batches: request.batches,
      questions: Object.keys(request.questions).length,
      body: JSON.stringify(JSON.parse(wireBody(request, endpoint?.model ?? "…")), null, 2),
    }));
  }

  /** What the user takes home: the result in the format of the input, or the decisions. */
  take(what: "result" | "decisions"): Blob {
    const { decisions, messages, stats } = this.result;
    if (what === "result") return new Blob([this.document.write(this.opened.wrap(messages))]);
    const explained = new Map(this.asked.map(({ id, explain }) => [id, explain]));
    const list = decisions.map((decision) => ({ ...decision, explain: explained.get(decision.id) }));
    return new Blob([`${JSON.stringify({ decisions: list, stats }, null, 1)}\n`]);
  }

  private outcome(): Outcome {
    const { decisions, stats, message_map } = this.result;
    return { verdicts: decisions.map(({ explain: _, ...verdict }) => verdict), stats, message_map };
  }

  private piece([message, block]: [number, number]): Piece {
    const { pieces } = this.opened.format.read(this.opened.messages[message]);
    return pieces[block] ?? { kind: "other", text: "" };
  }
}

function isPart(kind: Piece["kind"]): boolean {
  return kind === "call" || kind === "result";
}

function shown(text: string): Shown {
  return { text: text.slice(0, LONGEST_SHOWN), chars: codePoints(text) };
}

/** The tools of the calls, those with most characters first. */
function toolsOf(calls: readonly CallHead[]): ToolHead[] {
  const tools = new Map<string, ToolHead>();
  for (const { tool, input_chars, output_chars } of calls) {
    const head = tools.get(tool) ?? { name: tool, calls: 0, chars: 0 };
    head.calls++;
    head.chars += input_chars + output_chars;
    tools.set(tool, head);
  }
  return [...tools.values()].sort((one, other) => other.chars - one.chars);
}
