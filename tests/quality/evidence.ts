/**
 * What proves that a text was used: names and lines that do not come about by chance. The rules are those of the study's labels;
 * they are kept apart from the model's, which they measure.
 */

const WORD = /[A-Za-z0-9_]+(?:[./:@#-][A-Za-z0-9_]+)*/g;
const PART = /[A-Za-z0-9_]+/g;
const CAMEL = /[a-z][A-Z]|[A-Z]{2}[a-z]/;
const NAME = /\b[A-Z][a-z]{2,}(?: (?:of |de |van |the )?[A-Z][a-z]{2,})+/g;
const NUMBER = /^\d+(?:[.:\-/]\d+)*$/;
const LINE_NUMBER = /^\s*\d+\s*[:|\t-]?\s*/;
const IMPORT = /^(?:import|from|#include|using|require|package|use)\b/;

/** Words of a run that counts as verbatim. */
const RUN = 7;

/** How much a token proves. */
export type Strength = "strong" | "weak";

const digitsIn = (token: string) => token.replace(/[^0-9]/g, "").length;

function strengthOfNumber(token: string, digits: number): Strength | undefined {
  if (digits >= 5) return "strong";
  const isYear = token.length === 4 && /^(?:19|20)/.test(token);
  if (digits === 4 && !isYear) return token.includes(".") ? "strong" : "weak";
  return digits >= 3 ? "weak" : undefined;
}

/** Whether a token names a thing, and how surely. */
export function strengthOf(token: string): Strength | undefined {
  const { length } = token;
  if (length < 3) return undefined;
  const digits = digitsIn(token);
  if (NUMBER.test(token)) return strengthOfNumber(token, digits);
  if (digits > 0 && /[A-Za-z]/.test(token)) {
    const isCompound = /[/.:@#-]/.test(token);
    return (length >= 5 && !isCompound) || length >= 8 ? "strong" : "weak";
  }
  if (/[^_]_+[^_]/.test(token) || CAMEL.test(token)) return length >= 8 ? "strong" : length >= 5 ? "weak" : undefined;
  if (token.includes("/") || (token.includes(".") && length >= 6)) return length >= 10 ? "strong" : "weak";
  return undefined;
}

/** Whether a part of a compound counts by itself. */
function isOwnPart(part: string): boolean {
  if (!strengthOf(part)) return false;
  if (!/^\d+$/.test(part)) return true;
  return digitsIn(part) >= 5;
}

/** The evidence tokens of a text. */
export function evidenceOf(text: string): Set<string> {
  const found = new Set<string>();
  for (const [token] of text.matchAll(WORD)) {
    if (token.length > 120 || found.has(token)) continue;
    if (strengthOf(token)) found.add(token);
    if (!/^[A-Za-z0-9]+$/.test(token)) {
      for (const [part] of token.matchAll(PART)) if (isOwnPart(part)) found.add(part);
    }
  }
  for (const [name] of text.matchAll(NAME)) if (name.length >= 8 && name.length <= 60) found.add(name);
  return found;
}

/** Lines of 24 and more characters and 4 and more words, without their numbers; imports prove nothing. */
export function longLinesOf(text: string): Set<string> {
  const lines = new Set<string>();
  for (const line of text.replaceAll("\\n", "\n").split("\n")) {
    const bare = line.replace(LINE_NUMBER, "").trim();
    if (bare.length >= 24 && (bare.match(PART)?.length ?? 0) >= 4 && !IMPORT.test(bare)) lines.add(bare);
  }
  return lines;
}

/** All runs of seven words, lower-cased. */
export function runsOf(text: string): Set<string> {
  const words = (text.match(PART) ?? []).map((word) => word.toLowerCase());
  const runs = new Set<string>();
  for (let at = 0; at + RUN <= words.length; at++) runs.add(words.slice(at, at + RUN).join(" "));
  return runs;
}

/** Words that prove a run: those that are long enough to be content. */
export function wordsOf(text: string): Set<string> {
  return new Set((text.match(PART) ?? []).map((word) => word.toLowerCase()));
}
