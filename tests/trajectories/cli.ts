/**
 * `npm run trajectories -- DIR`: every cut of every recorded session in DIR through the module, with the local model and with a
 * scripted one, as objects and as JSON text; no error, no broken promise. Also counts what the local model in front of another one saves.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type CompactionRequest,
  type CompactionResult,
  compactContext,
  compactContextJson,
  type DecisionModel,
  inspectRequests,
  type LocalDecisionModel,
  localDecisionModel,
  type Message,
} from "keepline";
import { localFirst } from "keepline/models/combine";
import { violations } from "../support/invariants.js";
import { scripted } from "../support/scripted.js";
import { shared } from "../support/shared.js";

interface Trajectory {
  id: string;
  eligible_tool_names: string[];
  messages: Message[];
  cuts: { history_len: number; preserve_recent_messages: number; goal_from: unknown }[];
}

function* files(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else if (entry.name.endsWith(".json")) yield path;
  }
}

/** The task and the latest user text before the cut. */
function goalOf(messages: readonly Message[]): string {
  const texts = messages.flatMap(({ role, content }) =>
    role !== "user" || typeof content === "string"
      ? []
      : content.flatMap((block) => (block.type === "text" ? [String(block.text)] : [])),
  );
  return `${texts[0]?.slice(0, 3000) ?? ""}\n${texts.length > 1 ? texts.at(-1)?.slice(0, 1500) : ""}`.trim() || "Go on";
}

async function check(request: CompactionRequest, model: DecisionModel | LocalDecisionModel): Promise<string[]> {
  const before = JSON.stringify(request);
  const result = await compactContext(request, model);
  const found = violations(request, result);
  if (JSON.stringify(request) !== before) found.push("the input was changed");
  const fromText = JSON.parse(await compactContextJson(before, model)) as CompactionResult;
  fromText.stats.elapsed_ms = result.stats.elapsed_ms;
  if (JSON.stringify(fromText) !== JSON.stringify(result)) found.push("the result from JSON text differs");
  const again = await compactContext({ ...request, messages: result.messages }, model);
  for (const { id, call_id, action, applied, result_at } of again.decisions) {
    if (
      applied &&
      action === "drop_result" &&
      outputAt(result.messages, result_at).includes(`characters left out, call ${call_id},`)
    )
      found.push(`${id} was shortened again`);
  }
  return found;
}

function outputAt(messages: readonly Message[], [message, block]: readonly [number, number]): string {
  return JSON.stringify((messages[message]?.content as readonly { output?: unknown }[])[block]?.output);
}

interface Saving {
  candidates: number;
  decided_locally: number;
  /** Of the other model alone, and behind the local one. */
  requests: [alone: number, behind: number];
}

async function measure(request: CompactionRequest, model: DecisionModel, saving: Saving): Promise<void> {
  const alone = await inspectRequests(request, { model });
  const { stats } = await compactContext(request, localFirst(model), { countChars: false });
  saving.candidates += stats.candidates;
  saving.decided_locally += stats.decided_locally ?? 0;
  saving.requests[0] += alone.length;
  saving.requests[1] += stats.requests;
}

async function main(folder: string): Promise<void> {
  let cuts = 0;
  let sessions = 0;
  let failures = 0;
  const saving: Saving = { candidates: 0, decided_locally: 0, requests: [0, 0] };
  for (const file of files(folder)) {
    const { id, messages, cuts: moments, eligible_tool_names } = JSON.parse(readFileSync(file, "utf8")) as Trajectory;
    if (!Array.isArray(messages) || !Array.isArray(moments)) continue;
    sessions++;
    for (const { history_len, preserve_recent_messages } of moments) {
      const history = messages.slice(0, history_len);
      const request = {
        messages: history,
        goal: goalOf(history),
        eligible_tool_names,
        options: { preserve_recent_messages },
      };
      cuts++;
      for (const [name, model] of [
        ["local", localDecisionModel()],
        ["scripted", scripted(cuts)],
      ] as const) {
        const found = await check(request, model).catch((error) => [String(error)]);
        failures += found.length;
        for (const violation of found) console.log(`${id} at ${history_len}, ${name}: ${violation}`);
      }
      await measure(request, scripted(cuts), saving);
    }
  }
  const [alone, behind] = saving.requests;
  console.log(
    `local first: ${saving.decided_locally} of ${saving.candidates} candidates without a question, ${behind} requests instead of ${alone}`,
  );
  console.log(`${sessions} sessions, ${cuts} cuts, each with 2 models: ${failures} violations`);
  if (failures > 0 || cuts === 0) process.exitCode = 1;
}

const folder = process.argv[2] ?? shared("bench/trajectories");
if (folder === undefined)
  console.log("skipped: the recorded sessions are not beside the repository (give their folder as argument)");
else await main(folder);
