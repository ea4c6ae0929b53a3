/** The main job on the command line: the sample sessions, or a file of the user's. */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { CompactionError, compactContext, localDecisionModel } from "keepline";
import { root, say } from "../tools.mjs";
import { InputError, readRequest } from "./input.mjs";
import { judge, readScenarios } from "./scenarios.mjs";
import { progressLine, table, totals } from "./table.mjs";

const HELP = `npm start                     compact the sample sessions with the embedded model
npm start -- FILE [options]   compact a file of AgentScope JSON (a list of messages, or a whole request); "-" is standard input

  --goal TEXT            what the agent does next (needed unless the file is a request with a goal)
  --next-action TEXT     finer than the goal
  --eligible A,B         the only tools whose calls may be touched
  --recent N             messages at the end that are protected (default 6)
  --point POINT          careful, balanced (default) or firm
  --json                 figures alone, as JSON, on standard output
  --help                 this text`;

const OPTIONS = {
  goal: { type: "string" },
  "next-action": { type: "string" },
  eligible: { type: "string" },
  recent: { type: "string" },
  point: { type: "string", default: "balanced" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
};

/** Runs the command line and returns the exit code: 2 for bad input, 1 for a failed run. */
export async function main(args) {
  try {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    if (values.help) {
      console.log(HELP);
      return 0;
    }
    if (positionals.length > 1) throw new InputError(`one file at a time; found ${positionals.join(", ")}`);
    const lost = ["goal", "next-action", "eligible", "recent"].filter((name) => values[name] !== undefined);
    if (positionals.length === 0 && lost.length > 0)
      throw new InputError(`--${lost.join(", --")} need a FILE; without one the sample sessions are compacted`);
    const jobs = positionals.length === 1 ? [await readRequest(positionals[0], values)] : readScenarios();
    const reports = [];
    for (const job of jobs) reports.push(await run(job, values));
    if (values.json) console.log(JSON.stringify({ scenarios: reports }));
    return 0;
  } catch (error) {
    const bad =
      error instanceof InputError ||
      error?.code?.startsWith?.("ERR_PARSE_ARGS") ||
      (CompactionError.isInstance(error) && error.code === "invalid_request");
    say(`keepline: ${bad || CompactionError.isInstance(error) ? error.message : error.stack}`);
    return bad ? 2 : 1;
  }
}

async function run({ name, request, expected }, { json, point }) {
  const progress = progressLine(name);
  const result = await compactContext(request, localDecisionModel({ point }), { onProgress: progress });
  progress.end();
  const report = { name, ...judge(request, result, expected) };
  const file = write(name, result);
  if (!json) {
    console.log(table(name, request, result));
    console.log(totals(report, result, expected));
    console.log(`compacted messages: ${relative(process.env.INIT_CWD ?? process.cwd(), file)}\n`);
  }
  return report;
}

function write(name, { messages }) {
  const folder = join(root, "out");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${basename(name).replace(/\.json$/, "")}.compacted.json`);
  try {
    writeFileSync(file, `${JSON.stringify(messages, null, 1)}\n`);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InputError(
      `${name}: its messages nest too deep to be written here; compactContextJson keeps them as text`,
    );
  }
  return file;
}
