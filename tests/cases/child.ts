/** What only a process of its own can tell: whether it ends by itself, and how much memory it took. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "../support/shared.js";
import type { Run } from "./case.js";

interface Ended {
  /** Highest resident memory less the input's size, in MB. */
  peak: number;
  code: number | null;
  /** Milliseconds from the end of the call to the end of the process. */
  lingered: number;
}

/** Milliseconds that a process may take to end once nothing is left to do. */
const PATIENCE = 3000;

function runAlone({ origin }: Run): Promise<Ended> {
  if (!origin) throw new Error("the case comes from no file");
  const main = join(root, "tests", "cases", "child-main.ts");
  const child = spawn(process.execPath, ["--import", "tsx", main, origin.file, String(origin.index)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((resolve, reject) => {
    let peak = Number.NaN;
    let settled = Number.NaN;
    let killer: NodeJS.Timeout | undefined;
    child.stdout.on("data", (data: Buffer) => {
      peak = Number(data.toString());
      settled = performance.now();
      killer = setTimeout(() => child.kill(), PATIENCE);
    });
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(killer);
      resolve({ peak, code, lingered: performance.now() - settled });
    });
  });
}

export async function exitsByItself(run: Run): Promise<boolean> {
  const { code, lingered } = await runAlone(run);
  return code === 0 && lingered < PATIENCE;
}

export async function peakMemory(run: Run): Promise<number> {
  const { code, peak } = await runAlone(run);
  if (code !== 0) throw new Error(`the process ended with ${code}`);
  return peak;
}
