import type { OutcomeArray, Session, SplicesArray } from "#glue";
import { readDecisions } from "./apply.js";
import { combine, isCombined } from "./combine.js";
import { carryReasons, decide, readGiven, use } from "./compact.js";
import { type Instance, ready } from "./engine.js";
import { type CompactionError, invalidRequest } from "./errors.js";
import { checkAborted, Host, orAborted } from "./host.js";
import { takeSettings, withFound } from "./request.js";
import { report } from "./result.js";
import { type CheckedRuntime, checkRuntime, limitsOf, localPoint } from "./runtime.js";
import type {
  AnyDecisionModel,
  CombinedDecisionModel,
  CompactionResult,
  DecisionModel,
  GivenDecision,
  LocalDecisionModel,
  RuntimeOptions,
} from "./types.js";

/**
 * {@link compactContext} from JSON text to JSON text. Only removed blocks and replaced `output` values differ; all other bytes of
 * the messages survive exactly: big integers, key order, escapes, duplicate keys, white space. For reading, the last of equal
 * keys counts. `stats.chars_*` count the text as it is given, without the white space between its tokens.
 *
 * @param text the request as the text of a JSON object
 * @returns the whole result as JSON text
 */
export async function compactContextJson(
  text: string,
  decisionModel: AnyDecisionModel,
  runtime?: RuntimeOptions,
): Promise<string> {
  const started = performance.now();
  const checked = checkRuntime(runtime);
  checkAborted(checked.signal);
  if (typeof text !== "string") throw invalidRequest("text", "text must be a string", { value: text });
  const { json, ...rest } = isCombined(decisionModel)
    ? await compactCombined(text, decisionModel, checked)
    : await pass(text, checked, asking(decisionModel, checked));
  rest.stats.usage = rest.stats.usage.map(sayable);
  rest.stats.elapsed_ms = performance.now() - started;
  return `{"schema_version":1,"messages":${json},${JSON.stringify(rest).slice(1)}`;
}

/** What a provider says of the cost, where JSON can say it. */
function sayable(usage: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(usage));
  } catch {
    return null;
  }
}

/** A result whose messages are JSON text. */
type JsonResult = Omit<CompactionResult, "messages" | "schema_version"> & { json: string };

/** How the decisions of a pass come about. */
interface Pass {
  model?: DecisionModel;
  decide(instance: Instance, session: Session, host: Host): OutcomeArray | Promise<OutcomeArray>;
}

/** Asks a decision function or the local model. */
function asking(decisionModel: DecisionModel | LocalDecisionModel, checked: CheckedRuntime): Pass {
  const point = localPoint(decisionModel);
  const model = point === undefined ? (decisionModel as DecisionModel) : undefined;
  const limits = limitsOf(model);
  return {
    ...(model && { model }),
    decide: (instance, session, host) => decide(instance, session, host, { point, limits, checked }),
  };
}

/** Takes probabilities that are known. */
function knowing(decisions: readonly GivenDecision[], chinese: boolean): Pass {
  const answers = readGiven(decisions);
  return { decide: (instance, session) => use(instance, session, () => session.decide(answers, chinese)) };
}

function compactCombined(text: string, combined: CombinedDecisionModel, checked: CheckedRuntime): Promise<JsonResult> {
  const { onProgress, onRequest, ...quiet } = { ...checked, countChars: false };
  return combine<JsonResult>(combined, {
    locally: () => pass(text, quiet, asking(combined.local, checked)),
    alone: () => pass(text, checked, asking(combined.local, checked)),
    remotely: (certain) => pass(text, checked, asking(combined.remote, checked), certain),
    apply: async (decisions) => {
      const known = knowing(decisions, checked.language === "zh");
      const result = await pass(text, { ...quiet, countChars: checked.countChars }, known);
      carryReasons(decisions, result.decisions);
      return result;
    },
  });
}

/** Reads the text, decides and splices; calls in `kept` are not asked about. */
async function pass(
  text: string,
  checked: CheckedRuntime,
  { model, decide }: Pass,
  kept: readonly string[] = [],
): Promise<JsonResult> {
  const started = performance.now();
  const instance = await orAborted(ready(), checked.signal);
  let settings: Record<string, unknown> = {};
  const parse = (rest: string) => {
    settings = takeSettings(JSON.parse(rest));
    const own = settings.protected_call_ids ?? [];
    return kept.length > 0 && Array.isArray(own) ? { ...settings, protected_call_ids: [...own, ...kept] } : settings;
  };
  const bodies = { output: () => undefined, id: () => "" };
  const host = new Host(bodies, checked, instance.templates[checked.language], model, parse);
  host.tell("onProgress", { phase: "prepare", done: 0, total: 1 });
  let session: Session;
  try {
    session = instance.run(({ Session }) => Session.fromJson(text, host));
  } catch (error) {
    throw withFound(error as CompactionError, settings);
  }
  const outcome = await decide(instance, session, host);
  checkAborted(checked.signal);
  host.tell("onProgress", { phase: "apply", done: 1, total: 1 });
  checkAborted(checked.signal);
  const splices = outcome[5] as SplicesArray;
  const names = JSON.parse(splices[4]) as (string | null)[];
  const pairs = readDecisions(outcome, instance, (_message, _block, index) => [
    names[2 * index] as string,
    names[2 * index + 1] ?? "",
  ]);
  const [charsBefore, charsAfter] = checked.countChars ? [splices[5], splices[6]] : [null, null];
  const messagesAfter = outcome[3].filter((index) => index !== -1).length;
  const { schema_version, ...rest } = report(outcome, pairs, {
    map: outcome[3],
    messagesAfter,
    charsBefore,
    charsAfter,
    usage: host.usage,
    retries: host.retries,
    started,
  });
  instance.settle();
  return { ...rest, json: spliced(text, splices) };
}

/** The text of the messages with the edits done; half surrogate pairs survive, since only the caller's own text is cut. */
function spliced(text: string, [start, end, offsets, texts]: SplicesArray): string {
  const parts: string[] = [];
  let done = start;
  texts.forEach((replacement, index) => {
    parts.push(text.slice(done, offsets[2 * index]), replacement);
    done = offsets[2 * index + 1] as number;
  });
  parts.push(text.slice(done, end));
  return parts.join("");
}
