/** The command line of `npm run quality`. */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { type DecisionModel, type LocalDecisionModel, type LocalPoint, localDecisionModel } from "keepline";
import type { GoalRule } from "./recipe.js";

/** The command line is wrong; the message says what to do. */
export class UsageError extends Error {}

/** How to call it. */
export const USAGE = `npm run quality                          the embedded model on the recorded sessions beside the repository, and parity with its reference
npm run quality -- DIR                   on your own transcripts: JSON files of AgentScope messages, labelled by what later messages use
npm run quality -- DIR RECIPE            on labelled sessions
npm run quality -- --decide DUMP.jsonl   decisions for a dump of eval.py, one a line, on standard output

  --model local|FILE   the embedded model (default), or a module whose default export is a decision model
  --point POINT        careful, balanced, firm or study; without it all three of the embedded model
  --goal RULE          task (default), last or vague: what stands for the goal (with a recipe)
  --max-loss 2%        suggests thresholds at which so much of what was needed is lost (default 3%)
  --limit N            the first N snapshots alone
  --json               one JSON document on standard output
  --help               this text`;

/** What was asked for. */
export interface Arguments {
  folder: string | undefined;
  recipe: string | undefined;
  decide: string | undefined;
  model: string;
  points: readonly LocalPoint[];
  goal: GoalRule;
  maxLoss: number;
  limit: number;
  json: boolean;
  help: boolean;
}

const POINTS = ["careful", "balanced", "firm"] as const;

/** Reads the command line. Paths count from where npm was called. */
export function readArguments(args: string[]): Arguments {
  const { values, positionals } = parse(args);
  const path = (value: string | undefined) => (value === undefined ? undefined : resolve(value));
  const [folder, recipe, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(`at most DIR and RECIPE; found also ${rest.join(" ")}`);
  if (folder !== undefined && !statIs(folder, "directory")) throw new UsageError(`${folder} is not a folder`);
  if (recipe !== undefined && !statIs(recipe, "file")) throw new UsageError(`${recipe} is not a file`);
  return {
    folder: path(folder),
    recipe: path(recipe),
    decide: path(values.decide),
    model: values.model,
    points: values.point === undefined ? POINTS : [oneOf("--point", [...POINTS, "study"], values.point) as LocalPoint],
    goal: oneOf("--goal", ["task", "last", "vague"], values.goal) as GoalRule,
    maxLoss: share(values["max-loss"]),
    limit: count(values.limit),
    json: values.json,
    help: values.help,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        decide: { type: "string" },
        model: { type: "string", default: "local" },
        point: { type: "string" },
        goal: { type: "string", default: "task" },
        "max-loss": { type: "string", default: "3%" },
        limit: { type: "string" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function statIs(path: string, kind: "file" | "directory"): boolean {
  if (!existsSync(path)) return false;
  const stat = statSync(path);
  return kind === "file" ? stat.isFile() : stat.isDirectory();
}

function oneOf(name: string, words: readonly string[], value: string): string {
  if (words.includes(value)) return value;
  throw new UsageError(`${name} must be ${words.join(", ")}; found ${value}`);
}

function share(text: string): number {
  const value = text.endsWith("%") ? Number(text.slice(0, -1)) / 100 : Number(text);
  if (text.trim() !== "" && value >= 0 && value < 1) return value;
  throw new UsageError(`--max-loss must be a share such as 2% or 0.02; found ${text}`);
}

function count(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new UsageError(`--limit must be a number of snapshots; found ${text}`);
}

/** The models to measure, by name. */
export async function loadModels({
  model,
  points,
}: Pick<Arguments, "model" | "points">): Promise<[name: string, model: DecisionModel | LocalDecisionModel][]> {
  if (model === "local") return points.map((point) => [`local, ${point}`, localDecisionModel({ point })]);
  const file = resolve(model);
  if (!existsSync(file)) throw new UsageError(`--model: there is no file ${model}`);
  const { default: given } = await import(pathToFileURL(file).href);
  const isLocal = typeof given === "object" && given !== null && given.kind === "local";
  if (typeof given !== "function" && !isLocal)
    throw new UsageError(
      `--model: the default export of ${model} must be a decision model (an async function), not ${typeof given}`,
    );
  return [[model, given]];
}
