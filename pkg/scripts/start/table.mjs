/** Tables for people: one row a call. */
import { styleText } from "node:util";
import stringWidth from "string-width";

const wantsColour = process.stdout.isTTY ? process.env.NO_COLOR === undefined : process.env.FORCE_COLOR !== undefined;
const paint = (style, text) => (wantsColour ? styleText(style, text, { validateStream: false }) : text);

const STYLES = { keep: "green", drop_result: "yellow", drop_call: "red" };
const BAR = 10;
/** Factors shown of a decision. */
const FACTORS = 3;

/** A probability as a bar and a number. */
function bar(probability) {
  if (probability === undefined) return "";
  const full = Math.round(probability * BAR);
  return `${"█".repeat(full)}${"░".repeat(BAR - full)} ${probability.toFixed(2)}`;
}

function cut(text, width) {
  const line = text.replace(/\s+/g, " ");
  if (stringWidth(line) <= width) return line;
  let shown = "";
  for (const character of line) {
    if (stringWidth(shown + character) > width - 1) break;
    shown += character;
  }
  return `${shown}…`;
}

/** The factors that weighed most, by code and number. */
function why({ action, explain }) {
  if (explain === undefined) return "";
  const { factors } = action === "drop_call" ? explain.call : explain.result;
  return factors
    .slice(0, FACTORS)
    .map(({ code, value, contribution }) => `${contribution > 0 ? "+" : "−"}${code} ${Number(value.toFixed(2))}`)
    .join(", ");
}

/** The decisions of a run, aligned. */
export function table(name, request, { decisions }) {
  const block = ([message, index]) => request.messages[message].content[index];
  const size = ({ output }) =>
    typeof output === "string"
      ? [...output].length
      : Array.isArray(output)
        ? [...output.map((part) => part?.text ?? "").join("\n")].length
        : 0;
  const head = ["call", "tool", "input", "chars", "action", "p_call", "p_result", "reason", "why"];
  const rows = decisions.map((decision) => [
    decision.id,
    cut(decision.tool, 22),
    cut(block(decision.call_at).input, 34),
    String(size(block(decision.result_at))),
    decision.action,
    bar(decision.keep_call),
    bar(decision.keep_result),
    decision.reason + (decision.action !== "keep" && !decision.applied ? " (no shorter)" : ""),
    why(decision),
  ]);
  const widths = head.map((title, column) =>
    Math.max(...[head, ...rows].map((row) => stringWidth(row[column])), title.length),
  );
  const line = (row, styles) =>
    row
      .map((cell, column) => {
        const space = " ".repeat(widths[column] - stringWidth(cell));
        const padded = column === 3 ? space + cell : column === row.length - 1 ? cell : cell + space;
        return styles[column] ? paint(styles[column], padded) : padded;
      })
      .join("  ")
      .trimEnd();
  const body = rows.map((row) => line(row, { 4: STYLES[row[4]], 5: "cyan", 6: "cyan", 7: "dim", 8: "dim" }));
  return [paint("bold", name), paint("dim", line(head, {})), ...body].join("\n");
}

/** What the run came to. */
export function totals(
  { chars_before, chars_after, key_candidates_kept, protected_unchanged, requests },
  { stats, decisions },
  expected,
) {
  const share = ((1 - chars_after / chars_before) * 100).toFixed(1);
  const number = (value) => value.toLocaleString("en-US");
  const lines = [
    `${number(chars_before)} → ${number(chars_after)} JSON characters, ${share} % fewer; ${stats.messages_before} → ${stats.messages_after} messages; ${decisions.length} calls: ` +
      `${stats.actions.keep} kept (${stats.protected} protected), ${stats.actions.drop_result} shortened, ${stats.actions.drop_call} removed; ${requests} requests`,
  ];
  if (expected)
    lines.push(
      `key evidence kept whole: ${yes(key_candidates_kept)}; protected records unchanged: ${yes(protected_unchanged)}`,
    );
  return lines.join("\n");
}

const yes = (value) => (value ? paint("green", "yes") : paint("red", "NO"));

/** A line on standard error that tells how far it is. */
export function progressLine(name) {
  const shown = process.stderr.isTTY;
  const tell = ({ phase, done, total }) => {
    if (shown) process.stderr.write(`\r\x1b[K${name}: ${phase} ${done}/${total}`);
  };
  return Object.assign(tell, { end: () => shown && process.stderr.write("\r\x1b[K") });
}
