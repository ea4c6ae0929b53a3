/** Reads a file of the user's into a request. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

/** The user's input is wrong; the message says what to do. */
export class InputError extends Error {}

/** A request from a file of messages or of a whole request, completed by the command line. */
export async function readRequest(path, { goal, "next-action": nextAction, eligible, recent }) {
  const data = parse(await read(path), path);
  const isList = Array.isArray(data);
  if (!isList && (typeof data !== "object" || data === null || !Array.isArray(data.messages))) {
    throw new InputError(`${path}: expected a list of AgentScope messages, or a request object with "messages"`);
  }
  const request = isList ? { messages: data } : { ...data };
  if (goal !== undefined) request.goal = goal;
  if (nextAction !== undefined) request.next_action = nextAction;
  if (eligible !== undefined)
    request.eligible_tool_names = eligible
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "");
  if (recent !== undefined) {
    if (!/^\d+$/.test(recent))
      throw new InputError(`--recent must be a number of messages; found ${JSON.stringify(recent)}`);
    const { options = {} } = request;
    if (typeof options !== "object" || options === null) throw new InputError(`${path}: options must be an object`);
    request.options = { ...options, preserve_recent_messages: Number(recent) };
  }
  if (request.goal === undefined) throw new InputError(`say what the agent does next: --goal "…"`);
  if (request.eligible_tool_names === undefined)
    throw new InputError("name the read-only tools whose calls may be touched: --eligible read_file,search");
  return { name: path === "-" ? "stdin" : path, request };
}

async function read(path) {
  if (path === "-") {
    const parts = [];
    for await (const part of process.stdin.setEncoding("utf8")) parts.push(part);
    return parts.join("");
  }
  try {
    return await readFile(resolve(process.env.INIT_CWD ?? ".", path), "utf8");
  } catch (error) {
    throw new InputError(
      `${path} cannot be read: ${error.code === "ENOENT" ? "there is no such file" : error.message}`,
    );
  }
}

function parse(text, path) {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    throw new InputError(`${path} is not JSON: ${error.message}`);
  }
}
