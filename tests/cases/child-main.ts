/** `child-main.ts FILE INDEX`: one run of a case; prints the highest memory less the input's size, and has to end by itself. */

import { observe } from "./observe.js";
import { readRuns } from "./runner.js";

const [file = "", index = "0"] = process.argv.slice(2);
const run = readRuns(file)[Number(index)];
if (!run) throw new Error(`no such run: ${file} ${index}`);

/** Characters of the texts inside; what else a message holds is small beside them. */
function size(root: unknown): number {
  let sum = 0;
  const rest = [root];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value === "string") sum += value.length;
    else if (typeof value === "object" && value !== null) rest.push(...Object.values(value));
  }
  return sum;
}

const input = size(run.request.messages);
await observe(run, run.request, run.answers, false);
const megabyte = 1e6;
process.stdout.write(String((process.resourceUsage().maxRSS * 1024 - input) / megabyte));
