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
      asked.push({
        name: numbers[at] as number,
        tool: tools[numbers[at + 1] as number] ?? "",
        chars: numbers[at + 2] as number,
        asksResult: numbers[at + 3] === 1,
      });
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
  const callPieces = piecesOf(call);
  const resultPieces = piecesOf(result);
  for (const candidate of asked) {
    questions[`call_t${candidate.name}`] = question(callPieces, candidate);
    if (candidate.asksResult) questions[`result_t${candidate.name}`] = question(resultPieces, candidate);
  }
  return Object.freeze(questions);
}

/** Text and placeholders by turns. The placeholders are the code points 0 to 2. */
function piecesOf(template: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the core chose them because no text holds them
  return template.split(/([\0-\x02])/);
}

function question(pieces: readonly string[], { name, tool, chars }: Asked): Question {
  const parts = [`t${name}`, tool, String(chars)];
  let instructions = "";
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at] as string;
    instructions += at % 2 === 0 ? piece : parts[piece.charCodeAt(0)];
  }
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
