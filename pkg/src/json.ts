import type { SplicesArray } from "#glue";
import { readDecisions } from "./apply.js";
import { decide } from "./compact.js";
import { ready } from "./engine.js";
import { type CompactionError, invalidRequest } from "./errors.js";
import { checkAborted, Host } from "./host.js";
import { takeSettings, withFound } from "./request.js";
import { report } from "./result.js";
import { checkRuntime, limitsOf, localPoint } from "./runtime.js";
import type { DecisionModel, LocalDecisionModel, RuntimeOptions } from "./types.js";

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
  decisionModel: DecisionModel | LocalDecisionModel,
  runtime?: RuntimeOptions,
): Promise<string> {
  const started = performance.now();
  const checked = checkRuntime(runtime);
  checkAborted(checked.signal);
  const point = localPoint(decisionModel);
  const model = point === undefined ? (decisionModel as DecisionModel) : undefined;
  const limits = limitsOf(model);
  if (typeof text !== "string") throw invalidRequest("text", "text must be a string", { value: text });
  const instance = await ready();
  let settings: Record<string, unknown> = {};
  const parse = (rest: string) => {
    settings = takeSettings(JSON.parse(rest));
    return settings;
  };
  const host = new Host(
    { output: () => undefined, id: () => "" },
    checked,
    instance.templates[checked.language],
    model,
    parse,
  );
  host.tell("onProgress", { phase: "prepare", done: 0, total: 1 });
  let session: ReturnType<typeof open>;
  const open = () => instance.run(({ Session }) => Session.fromJson(text, host));
  try {
    session = open();
  } catch (error) {
    throw withFound(error as CompactionError, settings);
  }
  const outcome = await decide(instance, session, host, { point, limits, checked });
  checkAborted(checked.signal);
  host.tell("onProgress", { phase: "apply", done: 1, total: 1 });
  const splices = outcome[5] as SplicesArray;
  const names = JSON.parse(splices[4]) as string[];
  const pairs = readDecisions(outcome, instance, (_message, _block, index) => [
    names[2 * index] as string,
    names[2 * index + 1] as string,
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
  return `{"schema_version":${schema_version},"messages":${spliced(text, splices)},${JSON.stringify(rest).slice(1)}`;
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
