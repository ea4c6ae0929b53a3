/** What a format brings to the check of random histories. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type {
  CompactionOptions,
  CompactionRequest,
  CompactionResult,
  DecisionModel,
  GivenDecision,
  InspectedRequest,
  LocalDecisionModel,
} from "keepline";
import { root } from "../support/shared.js";
import type { Random } from "./random.js";
import type { Script } from "./script.js";

export type Settings = Omit<CompactionRequest, "messages">;

export interface ViewRow {
  index: number;
  role: string;
  texts: string[];
  calls: { id: string; name: string; input_json: string; finished: boolean }[];
  results: { id: string; name: string | null; text: string | null; success: boolean }[];
}

/** The functions of an adapter, for messages of any kind. */
export interface Adapter {
  compactMessages(
    messages: readonly object[],
    settings: Settings,
    model: DecisionModel | LocalDecisionModel,
    runtime?: object,
  ): Promise<CompactionResult<object>>;
  decideMessages(
    messages: readonly object[],
    settings: Settings,
    decisions: readonly GivenDecision[],
    runtime?: object,
  ): CompactionResult<object>;
  inspectMessages(messages: readonly object[], settings: Settings, options?: object): Promise<InspectedRequest[]>;
  viewMessages(messages: readonly object[], options?: object): ViewRow[];
}

/** `CODE @place: text`. */
export type Validate = (messages: readonly unknown[], options?: object) => string[] | Promise<string[]>;

/** A history to check. */
export interface History {
  messages: object[];
  /** Switches of the adapter. */
  runtime: Record<string, unknown>;
  /** Ids of calls that no decision may touch, because the format ties them to something else. */
  untouchable?: string[];
  /** Ids of calls that go together or not at all. */
  groups?: string[][];
  /** Options of the request, beside the random ones. */
  options?: CompactionOptions;
  /** Codes of the validator that these options ask for. */
  accepted?: string[];
  /** Options of the validator. */
  validation?: Record<string, unknown>;
}

export interface FormatCheck {
  name: string;
  adapter: Adapter;
  validate: Validate;
  /** What of the open tool loop is protected where the host does not say. */
  protects: "calls" | false | "it depends";
  write(script: Script, random: Random): History | Promise<History>;
  /** What else must hold. */
  also?(before: readonly object[], after: readonly object[], history: History): Promise<string[]> | string[];
}

/** The validators, and a reference for the views. */
export const folder = join(root, "tests", "fixtures", "validators");

/** The validator of a format. */
export async function validator(name: string): Promise<Validate> {
  const { validate } = await import(pathToFileURL(join(folder, `validate-${name}.mjs`)).href);
  return validate;
}

export const samples = join(folder, "samples");
