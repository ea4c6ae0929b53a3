/** What the page shows, and what changes it. Views read the state and call the methods of {@link Page}. */
import type { LocalPoint } from "keepline";
import { readShared, type Shared, writeShared } from "./address.js";
import * as archive from "./archive.js";
import type { Settings } from "./formats/format.js";
import { firstSample, sampleFile, sampleScript, samples } from "./samples.js";
import { type Language, loadTexts, type Texts } from "./texts/texts.js";
import { Client, JobError } from "./worker/client.js";
import type {
  Ask,
  Curve,
  Fault,
  JobName,
  JobProgress,
  Jobs,
  MessageHead,
  ModelChoice,
  Outcome,
  SessionHead,
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
  /** The settings have changed since the model was asked. */
  isStale: boolean;
  running?: RunningJob | undefined;
  fault?: Fault | undefined;
  /** The pair that is open. */
  open?: string | undefined;
  ask?: Ask | undefined;
  originals: archive.ArchivedHead[];
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

/** Defaults of the options that the page shows. */
export const DEFAULTS = {
  keep_call_threshold: 0.5,
  keep_result_threshold: 0.5,
  preserve_recent_messages: 6,
  truncate_head_chars: 300,
  truncate_tail_chars: 0,
};

export type ShownOption = keyof typeof DEFAULTS;

/** The value of an option that counts. */
export function option(settings: Settings, name: ShownOption): number {
  const { options } = settings;
  const both = name.endsWith("threshold") ? options.keep_threshold : undefined;
  return options[name] ?? both ?? DEFAULTS[name];
}

export class Page {
  state: State;
  private readonly client = new Client((ask) => this.set({ ask }));
  private readonly listeners = new Set<() => void>();
  private isTelling = false;
  private wanted: "run" | "decide" | undefined;
  private isDeciding = false;
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
      originals: [],
      said: "",
    };
    document.documentElement.lang = language;
    const sample = shared.sample !== undefined && shared.sample in samples ? shared.sample : firstSample;
    void this.openSample(sample);
    void this.refreshOriginals();
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
    this.texts = await loadTexts(language);
    this.set({ language });
    document.documentElement.lang = language;
    const { sample } = this.state;
    if (sample) void this.openSample(sample);
    else this.settle("run");
  }

  setTheme(theme: Theme): void {
    this.set({ theme });
    document.documentElement.dataset.theme = theme;
  }

  /** Opens a sample session; its settings come with it. */
  async openSample(sample: string): Promise<void> {
    try {
      const source = await sampleFile(sample, this.state.language);
      await this.open(sample, source, { sample });
    } catch (thrown) {
      this.failed(thrown);
    }
  }

  /** Opens a file of the user's: archived first, then read. */
  async openOwn(name: string, source: Blob): Promise<void> {
    let archived: number | undefined;
    try {
      archived = await archive.keep(name, source);
    } catch {
      // Private windows may refuse; the page works without.
      this.set({ said: this.texts.archive.refused });
    }
    await this.open(name, source, { archived });
    if (archived === undefined) return;
    if (this.state.archived !== archived) await archive.remove(archived);
    await this.refreshOriginals();
  }

  /** Opens an original again with the settings that it was left with. */
  async openArchived(id: number): Promise<void> {
    const found = await archive.get(id);
    if (found) await this.open(found.name, found.source, { archived: id, settings: found.settings });
  }

  async deleteArchived(id: number): Promise<void> {
    await archive.remove(id);
    if (this.state.archived === id) this.set({ archived: undefined });
    await this.refreshOriginals();
  }

  private async refreshOriginals(): Promise<void> {
    try {
      this.set({ originals: await archive.list() });
    } catch {
      this.set({ originals: [] });
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
    const calls = this.state.session?.calls.filter(({ message }) => message === index) ?? [];
    return calls.length > 0 && calls.every(({ call_id }) => protected_call_ids.includes(call_id));
  }

  private toggleCallsOf(index: number): void {
    const { session, settings } = this.state;
    const calls = session?.calls.filter(({ message }) => message === index).map(({ call_id }) => call_id) ?? [];
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
    this.set({ outcome, said });
  }

  /** What can wait: the curve, the settings in the archive. */
  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      const { archived, settings, outcome } = this.state;
      if (archived !== undefined) await archive.note(archived, settings).catch(() => undefined);
      if (!outcome) return;
      const curve = await this.client.do("curve", { settings: this.filled() }).catch(() => undefined);
      if (curve) this.set({ curve });
    }, 150);
  }

  /** A goal is needed; until there is one the page says so, and looks with a dash. An empty next action is none. */
  private filled(): Settings {
    const { next_action = "", ...settings } = this.state.settings;
    const goal = settings.goal.trim() === "" ? "-" : settings.goal;
    return { ...settings, goal, ...(next_action.trim() !== "" && { next_action }) };
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

  private share(): void {
    const { language, sample, point, settings } = this.state;
    const hash = writeShared({ language, point, options: settings.options, ...(sample && { sample }) });
    history.replaceState(null, "", hash);
  }
}

function toggled(list: readonly string[], item: string): string[] {
  return list.includes(item) ? list.filter((other) => other !== item) : [...list, item];
}
