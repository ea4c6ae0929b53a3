/** What the page shows, and what changes it. Views read the state and call the methods of {@link Page}. */
import type { LocalPoint } from "keepline";
import { readShared, type Shared, writeShared } from "./address.js";
import type * as Archive from "./archive.js";
import type { Settings } from "./formats/format.js";
import { option, type ShownOption, type ThresholdName } from "./options.js";
import { firstSample, sampleFile, sampleScript, samples } from "./samples.js";
import { type Language, loadLateTexts, loadTexts, type Texts } from "./texts/texts.js";
import type { Kind, ShownVerdict } from "./verdict.js";
import { Client, JobError } from "./worker/client.js";
import type {
  Ask,
  CallHead,
  Curve,
  Fault,
  JobName,
  JobProgress,
  Jobs,
  MessageHead,
  ModelChoice,
  Outcome,
  SessionHead,
  Why,
} from "./worker/protocol.js";

export type Tab = "timeline" | "compare" | "requests" | "take";
export type Theme = "auto" | "light" | "dark";
export type Endpoint = Extract<ModelChoice, { kind: "endpoint" }>;

/** A job that the user waits for. */
export interface RunningJob extends JobProgress {
  job: number;
  name: JobName;
}

export interface State {
  language: Language;
  theme: Theme;
  tab: Tab;
  /** Name of the file or sample. */
  name: string;
  sample?: string | undefined;
  /** Of the original in the archive. */
  archived?: number | undefined;
  session?: SessionHead | undefined;
  settings: Settings;
  kind: ModelChoice["kind"];
  point: LocalPoint;
  /** Never stored: it holds a key. */
  endpoint: Endpoint;
  script: string;
  outcome?: Outcome | undefined;
  curve?: Curve | undefined;
  /** Of the last run. */
  whys: readonly (Why | undefined)[];
  /** The only kind of call that the timeline shows. */
  filter?: Kind | undefined;
  /** The settings have changed since the model was asked. */
  isStale: boolean;
  running?: RunningJob | undefined;
  fault?: Fault | undefined;
  /** The pair that is open. */
  open?: string | undefined;
  ask?: Ask | undefined;
  originals: Archive.ArchivedHead[];
  /** The browser keeps nothing, as some private windows do. */
  isArchiveRefused: boolean;
  /** For the live region. */
  said: string;
}

const EMPTY: Settings = {
  goal: "",
  eligible_tool_names: [],
  protected_message_ids: [],
  protected_call_ids: [],
  options: {},
};

/** Why a message is protected without being asked for. */
export type ProtectionRule = "first" | "recent" | "system";

/** Not needed for what is seen first. */
const archived = (): Promise<typeof Archive> => import("./archive.js");

export class Page {
  state: State;
  private readonly client = new Client(
    (ask) => this.set({ ask }),
    () => this.recall(),
  );
  private readonly listeners = new Set<() => void>();
  private isTelling = false;
  private wanted: "run" | "decide" | undefined;
  private isDeciding = false;
  private hasListed = false;
  /** How often something was opened. */
  private wishes = 0;
  hasLateTexts = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** The page with its words and the first sample on its way. */
  static async start(): Promise<Page> {
    const shared = readShared(location.hash);
    const language = shared.language ?? (navigator.language.startsWith("zh") ? "zh" : "en");
    return new Page(shared, language, await loadTexts(language));
  }

  private constructor(
    shared: Shared,
    language: Language,
    public texts: Texts,
  ) {
    this.state = {
      language,
      theme: "auto",
      tab: "timeline",
      name: "",
      settings: { ...EMPTY, options: shared.options },
      kind: "local",
      point: shared.point ?? "balanced",
      endpoint: { kind: "endpoint", url: "", model: "", key: "", maxQuestions: 64, timeoutSeconds: 30 },
      script: "",
      isStale: false,
      whys: [],
      originals: [],
      isArchiveRefused: false,
      said: "",
    };
    document.documentElement.lang = language;
    const sample = shared.sample !== undefined && shared.sample in samples ? shared.sample : firstSample;
    void this.openSample(sample);
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Changes the state; the views hear of it once, at the end of the task. */
  set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    if (this.isTelling) return;
    this.isTelling = true;
    queueMicrotask(() => {
      this.isTelling = false;
      for (const listener of this.listeners) listener();
    });
  }

  async setLanguage(language: Language): Promise<void> {
    const [first, late] = await Promise.all([loadTexts(language), loadLateTexts(language)]);
    this.texts = { ...first, ...late };
    this.hasLateTexts = true;
    this.set({ language });
    document.documentElement.lang = language;
    const { sample } = this.state;
    if (sample) void this.openSample(sample);
    else this.settle("run");
  }

  /** Fetches the words of the views that are not seen at once. */
  async loadLateTexts(): Promise<void> {
    if (this.hasLateTexts) return;
    const late = await loadLateTexts(this.state.language);
    this.texts = { ...this.texts, ...late };
    this.hasLateTexts = true;
    this.set({});
  }

  setTheme(theme: Theme): void {
    this.set({ theme });
    document.documentElement.dataset.theme = theme;
  }

  /** What is fetched first may come last: only what was wished for last is opened. */
  private opening(): () => boolean {
    const wish = ++this.wishes;
    return () => wish === this.wishes;
  }

  /** Opens a sample session; its settings come with it. */
  async openSample(sample: string): Promise<void> {
    const isNewest = this.opening();
    try {
      const source = await sampleFile(sample, this.state.language);
      if (isNewest()) await this.open(sample, source, { sample });
    } catch (thrown) {
      this.failed(thrown);
    }
  }

  /** Opens a file of the user's: archived first, then read. */
  async openOwn(name: string, source: Blob): Promise<void> {
    const isNewest = this.opening();
    let id: number | undefined;
    try {
      id = await (await archived()).keep(name, source);
    } catch {
      // Private windows may refuse; the page works without, and says so.
      this.set({ isArchiveRefused: true });
    }
    if (isNewest()) await this.open(name, source, { archived: id });
    if (id === undefined) return;
    if (this.state.archived !== id) await (await archived()).remove(id);
    await this.refreshOriginals();
  }

  /** Opens an original again with the settings that it was left with. */
  async openArchived(id: number): Promise<void> {
    const isNewest = this.opening();
    const found = await (await archived()).get(id);
    if (found && isNewest()) await this.open(found.name, found.source, { archived: id, settings: found.settings });
  }

  async deleteArchived(id: number): Promise<void> {
    await (await archived()).remove(id);
    if (this.state.archived === id) this.set({ archived: undefined });
    await this.refreshOriginals();
  }

  private async refreshOriginals(): Promise<void> {
    this.hasListed = true;
    try {
      this.set({ originals: await (await archived()).list() });
    } catch {
      this.set({ originals: [], isArchiveRefused: true });
    }
  }

  private async open(
    name: string,
    source: Blob,
    { sample, archived, settings }: { sample?: string; archived?: number | undefined; settings?: Settings | undefined },
  ): Promise<void> {
    const session = await this.wait("open", { source });
    if (!session) return;
    const { options } = this.state.settings;
    const given = settings ?? { ...EMPTY, ...session.settings, options: { ...session.settings.options, ...options } };
    this.set({
      name,
      sample,
      archived,
      session,
      settings: given,
      open: undefined,
      outcome: undefined,
      curve: undefined,
      whys: [],
      filter: undefined,
    });
    if (this.state.kind === "scripted") await this.fillScript();
    this.share();
    this.settle("run");
  }

  /** Changes settings; thresholds and protection are decided without the model, the rest asks the local one again. */
  change(change: Partial<Settings>, needs: "run" | "decide" = "run"): void {
    this.set({ settings: { ...this.state.settings, ...change } });
    this.share();
    this.settle(needs);
  }

  changeOption(name: ShownOption | "drop_call_mode", value: number | "remove" | "stub", needs: "run" | "decide"): void {
    this.change({ options: { ...this.state.settings.options, [name]: value } }, needs);
  }

  /** Moves a threshold by a step; what lies behind its ends does not exist. */
  moveThreshold(name: ThresholdName, step: number): void {
    const value = Math.round((option(this.state.settings, name) + step) * 100) / 100;
    this.changeOption(name, Math.min(1, Math.max(0, value)), "decide");
  }

  toggleTool(name: string, isOn: boolean): void {
    const others = this.state.settings.eligible_tool_names.filter((other) => other !== name);
    this.change({ eligible_tool_names: isOn ? [...others, name] : others });
  }

  /** Protects a call, or no longer. */
  toggleCall(callId: string): void {
    this.change({ protected_call_ids: toggled(this.state.settings.protected_call_ids, callId) }, "decide");
  }

  /** Protects a message by its id; one without an id by its calls. */
  toggleMessage(index: number): void {
    const { session, settings } = this.state;
    const id = session?.messages[index]?.id;
    if (id === undefined) this.toggleCallsOf(index);
    else this.change({ protected_message_ids: toggled(settings.protected_message_ids, id) }, "decide");
  }

  /** Whether a message is protected by the user. */
  isProtected({ index, id }: MessageHead): boolean {
    const { protected_message_ids, protected_call_ids } = this.state.settings;
    if (id !== undefined) return protected_message_ids.includes(id);
    const calls = this.callsIn(index);
    return calls.length > 0 && calls.every((call) => protected_call_ids.includes(call));
  }

  /** What protects a message without the user. */
  ruleFor({ index, role }: MessageHead): ProtectionRule | undefined {
    const { session, settings } = this.state;
    if (role === "system" || role === "developer") return "system";
    if (index === 0) return "first";
    const left = (session?.messages.length ?? 0) - index;
    return left <= option(settings, "preserve_recent_messages") ? "recent" : undefined;
  }

  /** A verdict as it is shown: without a goal nothing was asked, whatever is ticked; with one the model may have said why. */
  verdict(verdict: ShownVerdict, call: CallHead): ShownVerdict {
    const { tool, verdict: place = -1 } = call;
    if (verdict.reason === "protected_message") return { ...verdict, reason: this.whichMessage(call) };
    const { goal, eligible_tool_names } = this.state.settings;
    const isForGoal =
      verdict.reason === "tool_not_eligible" && goal.trim() === "" && eligible_tool_names.includes(tool);
    if (isForGoal) return { ...verdict, reason: "no_goal" };
    const why = this.state.whys[place];
    const isFor = verdict.keep_call !== undefined && why?.action === verdict.action;
    return isFor ? { ...verdict, why: why.text } : verdict;
  }

  /** Which protected message it is that a call is in, or its result. */
  private whichMessage({ message, answered = message }: CallHead): ShownVerdict["reason"] {
    const heads = [message, answered].flatMap((index) => this.state.session?.messages[index] ?? []);
    const ids = this.state.settings.protected_message_ids;
    if (heads.some(({ id }) => id !== undefined && ids.includes(id))) return "in_own";
    const rule = heads.map((head) => this.ruleFor(head)).find((rule) => rule !== undefined);
    return rule ? `in_${rule}` : "protected_message";
  }

  /** Ids of the calls that a message makes or answers. */
  private callsIn(index: number): string[] {
    const calls = this.state.session?.calls ?? [];
    const isIn = ({ verdict, message, answered }: CallHead) =>
      verdict !== undefined && (message === index || answered === index);
    return calls.filter(isIn).map(({ call_id }) => call_id);
  }

  private toggleCallsOf(index: number): void {
    const { settings } = this.state;
    const calls = this.callsIn(index);
    if (calls.length === 0) return;
    const isOn = calls.every((call) => settings.protected_call_ids.includes(call));
    const others = settings.protected_call_ids.filter((call) => !calls.includes(call));
    this.change({ protected_call_ids: isOn ? others : [...others, ...calls] }, "decide");
  }

  /** Chooses who answers. */
  async choose(kind: ModelChoice["kind"]): Promise<void> {
    this.set({ kind });
    if (kind === "scripted" && this.state.script === "") await this.fillScript();
    this.settle("run");
  }

  setPoint(point: LocalPoint): void {
    this.set({ point });
    this.share();
    this.settle("run");
  }

  private async fillScript(): Promise<void> {
    const { sample } = this.state;
    this.set({ script: sample ? await sampleScript(sample) : "* 0.8 0.1" });
  }

  /** The model as the worker takes it. */
  model(): ModelChoice {
    const { kind, point, endpoint, script } = this.state;
    if (kind === "local") return { kind, point };
    if (kind === "scripted") return { kind, script };
    return kind === "ask" ? { kind } : endpoint;
  }

  /** Asks the model, because the user said so. */
  run(): void {
    this.wanted = "run";
    this.set({ isStale: false });
    void this.work();
  }

  /** Brings the outcome up to date: the local model is asked at once, others only when the user says so. */
  private settle(needs: "run" | "decide"): void {
    const isLocal = this.state.kind === "local";
    if (needs === "run" && !isLocal) this.set({ isStale: true });
    this.wanted = isLocal && (needs === "run" || this.wanted === "run") ? "run" : "decide";
    void this.work();
  }

  /** Does what is wanted, one at a time, the newest only. */
  private async work(): Promise<void> {
    if (this.isDeciding) return;
    this.isDeciding = true;
    while (this.wanted && this.state.session) {
      const wanted = this.wanted;
      this.wanted = undefined;
      await (wanted === "run" ? this.ask() : this.decide());
    }
    this.isDeciding = false;
    this.later();
  }

  private async ask(): Promise<void> {
    const { language, session } = this.state;
    const outcome = await this.wait("run", { settings: this.filled(), model: this.model(), language });
    this.set({ ask: undefined });
    if (session !== this.state.session) return;
    if (outcome) return this.show(outcome);
    this.set({ isStale: true });
    if (!this.wanted) await this.decide(this.state.fault);
  }

  private async decide(fault?: Fault): Promise<void> {
    try {
      const { language, session } = this.state;
      const outcome = await this.client.do("decide", { settings: this.filled(), language });
      if (session !== this.state.session) return;
      this.show(outcome);
      this.set({ fault });
    } catch (thrown) {
      this.failed(thrown);
    }
  }

  private show(outcome: Outcome): void {
    const { chars_before, chars_after } = outcome.stats;
    const said = this.texts.said.done(chars_before ?? 0, chars_after ?? 0);
    this.set({ outcome, said, ...(outcome.whys && { whys: outcome.whys }) });
  }

  /** What can wait: the list of originals, the curve, the settings in the archive. */
  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      const { archived: id, settings, outcome } = this.state;
      if (id !== undefined) await (await archived()).note(id, settings).catch(() => undefined);
      if (!this.hasListed) await this.refreshOriginals();
      if (!outcome) return;
      const curve = await this.client.do("curve", { settings: this.filled() }).catch(() => undefined);
      if (curve) this.set({ curve });
    }, 150);
  }

  /** Without a goal nothing may go, whatever is ticked; the dash only lets the history be read. An empty next action is none. */
  private filled(): Settings {
    const { next_action = "", ...settings } = this.state.settings;
    if (settings.goal.trim() === "") return { ...settings, goal: "-", eligible_tool_names: [] };
    return { ...settings, ...(next_action.trim() !== "" && { next_action }) };
  }

  /** Does a job that the user sees and can cancel. */
  private async wait<K extends JobName>(name: K, input: Jobs[K][0]): Promise<Jobs[K][1] | undefined> {
    const tell = (progress: JobProgress): void => this.set({ running: { job, name, ...progress } });
    const [job, outcome]: [number, Promise<Jobs[K][1]>] = this.client.begin(name, input, tell);
    tell({ phase: name === "open" ? "read" : "prepare", done: 0, total: 1 });
    this.set({ fault: undefined });
    try {
      return await outcome;
    } catch (thrown) {
      this.failed(thrown);
      return undefined;
    } finally {
      if (this.state.running?.job === job) this.set({ running: undefined });
    }
  }

  private failed(thrown: unknown): void {
    const code = thrown instanceof JobError ? thrown.code : "internal";
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    this.set({ fault: { code, message } });
  }

  cancel(): void {
    const { running } = this.state;
    if (running) this.client.cancel(running.job);
    this.set({ ask: undefined });
  }

  answer(answers: Record<string, number>): void {
    this.set({ ask: undefined });
    this.client.answer(answers);
  }

  /** A job of a view. */
  do<K extends JobName>(name: K, input: Jobs[K][0]): Promise<Jobs[K][1]> {
    return this.client.do(name, input);
  }

  /** The settings of requests as they would be sent. */
  inspect() {
    const { kind, endpoint, language } = this.state;
    const { model, maxQuestions } = endpoint;
    const asked = kind === "endpoint" ? { endpoint: { model, maxQuestions } } : {};
    return this.client.do("inspect", { settings: this.filled(), language, ...asked });
  }

  /** Takes over the settings of an address that was pasted into this window. */
  async followAddress(): Promise<void> {
    const { language, sample, point = "balanced", options } = readShared(location.hash);
    if (language && language !== this.state.language) await this.setLanguage(language);
    this.set({ point, settings: { ...this.state.settings, options } });
    const isOther = sample !== undefined && sample in samples && sample !== this.state.sample;
    if (isOther && this.state.sample) await this.openSample(sample);
    else this.settle("run");
  }

  /** What a new worker needs to know; the local model is simply asked again. */
  private recall(): void {
    const { kind, outcome } = this.state;
    if (kind !== "local" && outcome)
      void this.client.do("recall", { verdicts: outcome.verdicts }).catch(() => undefined);
    this.settle("run");
  }

  private share(): void {
    const { language, sample, point, settings } = this.state;
    const hash = writeShared({ language, point, options: settings.options, ...(sample && { sample }) });
    history.replaceState(null, "", hash);
  }
}

function toggled(list: readonly string[], item: string): string[] {
  return list.includes(item) ? list.filter((other) => other !== item) : [...list, item];
}
