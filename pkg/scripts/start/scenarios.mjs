/** The sample sessions, and what is expected of a run on them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../tools.mjs";

const FOLDER = join(root, "tests", "fixtures", "scenarios");

/** Name, request and expectations of each sample session. */
export function readScenarios() {
  return readdirSync(FOLDER)
    .sort()
    .map((name) => {
      const read = (file) => JSON.parse(readFileSync(join(FOLDER, name, file), "utf8"));
      return { name, request: read("request.json"), expected: read("expected.json") };
    });
}

/** Figures of a run; without expectations nothing is key. */
export function judge(request, { messages, message_map, decisions, stats }, expected) {
  const key = new Set(expected?.key_candidates ?? []);
  const isWhole = ({ call_id, action, applied }) => !key.has(call_id) || action === "keep" || !applied;
  const same = (index) =>
    JSON.stringify(request.messages[index]) === JSON.stringify(messages[message_map[index] ?? -1]);
  const isProtected = (message, index) => (request.protected_message_ids ?? []).includes(message.id) && index >= 0;
  const listed = request.messages.every((message, index) => !isProtected(message, index) || same(index));
  const calls = (request.protected_call_ids ?? []).every(
    (id) => blocksOf(request.messages, id) === blocksOf(messages, id),
  );
  return {
    chars_before: stats.chars_before,
    chars_after: stats.chars_after,
    key_candidates_kept:
      decisions.every(isWhole) && [...key].every((id) => blocksOf(request.messages, id) === blocksOf(messages, id)),
    protected_unchanged: listed && calls,
    requests: stats.requests,
  };
}

/** The blocks of a call as JSON text. */
function blocksOf(messages, id) {
  return JSON.stringify(
    messages.flatMap(({ content }) =>
      Array.isArray(content) ? content.filter((block) => block.id === id && block.type.startsWith("tool_")) : [],
    ),
  );
}
