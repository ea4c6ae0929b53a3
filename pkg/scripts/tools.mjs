/** Small helpers of the scripts: running programs, and telling what goes on. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Tells on standard error, which is never data. */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/**
 * Runs a program to its end. Its output goes to standard error, so that standard output stays the caller's.
 * Ends the process with the program's exit code when it fails.
 */
export function run(program, args, options = {}) {
  const { quiet = false, ...rest } = options;
  const stdio = quiet ? ["ignore", "pipe", "pipe"] : ["ignore", 2, 2];
  const done = spawnSync(program, args, {
    cwd: root,
    stdio,
    encoding: "utf8",
    shell: process.platform === "win32",
    ...rest,
  });
  if (done.error || done.status !== 0) {
    if (quiet) process.stderr.write(`${done.stdout ?? ""}${done.stderr ?? ""}`);
    say(`keepline: ${[program, ...args].join(" ")} failed${done.error ? `: ${done.error.message}` : ""}`);
    process.exit(done.status || 1);
  }
  return done.stdout ?? "";
}

/** The newest change of any file below some paths. */
export function newest(...paths) {
  let time = 0;
  for (const path of paths) {
    const full = join(root, path);
    if (!existsSync(full)) continue;
    const stat = statSync(full);
    time = Math.max(
      time,
      stat.isDirectory() ? newest(...readdirSync(full).map((name) => relative(root, join(full, name)))) : stat.mtimeMs,
    );
  }
  return time;
}

/** The path of a program that npm installed. */
export function bin(name) {
  return join(root, "node_modules", ".bin", name);
}
