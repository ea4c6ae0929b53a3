/**
 * Finds the browsers of the tests; run as a program, installs those that are missing: Debian's where `apt-get` may be used,
 * otherwise the vendors' own builds.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Browser, getInstalledBrowsers } from "@puppeteer/browsers";
import { root } from "../support/shared.js";

/** A browser of the tests. */
export type BrowserName = "chromium" | "firefox";

interface Known {
  /** Environment variable that names its program. */
  variable: string;
  programs: readonly string[];
  debian: string;
  vendor: Browser;
}

const KNOWN: Record<BrowserName, Known> = {
  chromium: {
    variable: "KEEPLINE_CHROMIUM",
    programs: ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"],
    debian: "chromium",
    vendor: Browser.CHROME,
  },
  firefox: {
    variable: "KEEPLINE_FIREFOX",
    programs: ["/usr/bin/firefox", "/usr/bin/firefox-esr"],
    debian: "firefox-esr",
    vendor: Browser.FIREFOX,
  },
};

/** Where the vendors' builds go. */
const cacheDir = join(root, ".build", "browsers");

/** The program of a browser, or what to do to have it. */
export async function findBrowser(name: BrowserName): Promise<{ program: string } | { missing: string }> {
  const { variable, programs, vendor } = KNOWN[name];
  const named = process.env[variable];
  const program = [...(named ? [named] : []), ...programs].find((place) => existsSync(place));
  if (program) return { program };
  const installed = (await getInstalledBrowsers({ cacheDir })).find(({ browser }) => browser === vendor);
  return installed
    ? { program: installed.executablePath }
    : { missing: `no ${name} found; name its program in ${variable}` };
}

/** Runs the commands until one fails. */
function succeeds(...commands: [string, ...string[]][]): boolean {
  return commands.every(
    ([program, ...args]) =>
      spawnSync(program, args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] }).status === 0,
  );
}

async function install(): Promise<void> {
  for (const name of Object.keys(KNOWN) as BrowserName[]) {
    if ("program" in (await findBrowser(name))) continue;
    const { debian, vendor, variable } = KNOWN[name];
    console.error(`keepline: installing ${name} for the tests`);
    const done =
      (process.getuid?.() === 0 &&
        succeeds(
          ["apt-get", "update", "-qq"],
          ["apt-get", "install", "-y", "-qq", "--no-install-recommends", debian],
        )) ||
      succeeds([process.execPath, cli, "install", `${vendor}@stable`, "--path", cacheDir]);
    if (!done)
      console.error(`keepline: ${name} could not be installed; its tests are skipped unless ${variable} names it`);
  }
}

const cli = join(root, "node_modules", "@puppeteer", "browsers", "lib", "cjs", "main-cli.js");

if (process.argv[1] === fileURLToPath(import.meta.url)) await install();
