import type { RequestsArray } from "#glue";
import type { Question } from "./types.js";

/** A candidate as the questions name it. */
export interface Asked {
  name: number;
  tool: string;
  chars: number;
  asksResult: boolean;
}

/** One request: its window and the candidates asked about. */
export interface Batch {
  window: number;
  asked: readonly Asked[];
}

/** Reads the flat batches (src/wasm/convert.rs). */
export function readBatches([, numbers, tools]: RequestsArray): Batch[] {
  const batches: Batch[] = [];
  for (let at = 0; at < numbers.length; ) {
    const window = numbers[at] as number;
    const size = numbers[at + 1] as number;
    at += 2;
    const asked: Asked[] = [];
    for (let index = 0; index < size; index++, at += 4) {
      const [name, tool, chars, asksResult] = numbers.subarray(at, at + 4) as unknown as [
        number,
        number,
        number,
        number,
      ];
      asked.push({ name, tool: tools[tool] ?? "", chars, asksResult: asksResult === 1 });
    }
    batches.push({ window, asked });
  }
  return batches;
}

/** The questions of a batch, in order, frozen. */
export function questionsOf(
  asked: readonly Asked[],
  [call = "", result = ""]: readonly string[],
): Readonly<Record<string, Question>> {
  const questions: Record<string, Question> = {};
  for (const candidate of asked) {
    questions[`call_t${candidate.name}`] = question(call, candidate);
    if (candidate.asksResult) questions[`result_t${candidate.name}`] = question(result, candidate);
  }
  return Object.freeze(questions);
}

function question(template: string, { name, tool, chars }: Asked): Question {
  const parts = [`t${name}`, tool, String(chars)];
  // The placeholders are the code points 0 to 2.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the core chose them because no text holds them
  const instructions = template.replace(/[\0-\x02]/g, (sign) => parts[sign.charCodeAt(0)] as string);
  return Object.freeze({ type: "binary", instructions });
}

/** The view as a frozen object, parsed on first access. */
export function viewState(json: string): () => Readonly<Record<string, unknown>> {
  let state: Readonly<Record<string, unknown>> | undefined;
  return () => {
    state ??= deepFreeze(JSON.parse(json) as Record<string, unknown>);
    return state;
  };
}

/** The view is a few levels deep, whatever the history holds. */
function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) deepFreeze(item);
    Object.freeze(value);
  }
  return value;
}
