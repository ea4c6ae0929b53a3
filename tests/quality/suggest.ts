/** Thresholds for a wanted loss. */
import { callsBelow, dropped, type Estimate, type Pool, type Row } from "./measure.js";

/** A threshold, and what it does. */
export interface Suggestion {
  threshold: number;
  lost: Estimate;
  /** Share of output characters removed, or of calls below. */
  removed: Estimate;
}

/** Suggestions for one question. */
export interface Suggestions {
  /** Highest threshold at which the share lost in these sessions is as wanted. */
  asMeasured: Suggestion | undefined;
  /** Highest threshold at which even the upper end of the interval is as wanted. */
  safe: Suggestion | undefined;
  /** Results or calls that were needed. */
  needed: number;
  /** With 95 % probability the loss is below this even if none of them was lost (3 / needed, the rule of three). */
  floor: number;
}

/** Thresholds that are tried: those between two probabilities, at most so many. */
const TRIED = 200;

function thresholds(values: readonly number[]): number[] {
  const sorted = [...new Set(values)].sort((a, b) => a - b);
  const between = sorted.map((value, index) => (value + (sorted[index + 1] ?? 1)) / 2);
  const all = [0, ...between];
  const step = Math.max(1, Math.floor(all.length / TRIED));
  return all.filter((_, index) => index % step === 0 || index === all.length - 1);
}

function highest(
  tried: readonly number[],
  of: (threshold: number) => Suggestion,
  isGood: (suggestion: Suggestion) => boolean,
): Suggestion | undefined {
  // What is lost only grows with the threshold, so the place can be halved in on.
  let [low, high] = [0, tried.length];
  let best: Suggestion | undefined;
  while (low < high) {
    const middle = (low + high) >> 1;
    const suggestion = of(tried[middle] as number);
    if (isGood(suggestion)) {
      best = suggestion;
      low = middle + 1;
    } else high = middle;
  }
  return best;
}

function suggest(
  tried: readonly number[],
  of: (threshold: number) => Suggestion,
  needed: number,
  maxLoss: number,
): Suggestions {
  return {
    asMeasured: highest(tried, of, ({ lost }) => lost.value <= maxLoss),
    safe: highest(tried, of, ({ lost }) => lost.high <= maxLoss),
    needed,
    floor: needed > 0 ? Math.min(1, 3 / needed) : 1,
  };
}

/** `keep_result_threshold`: results below it are dropped. */
export function suggestResult(pool: Pool, maxLoss: number): Suggestions {
  const rows = pool.rows.filter(({ freed }) => freed > 0);
  const of = (threshold: number): Suggestion => {
    const { lost, removed } = dropped(pool, ({ keepResult }) => keepResult < threshold);
    return { threshold, lost, removed };
  };
  return suggest(thresholds(rows.map(({ keepResult }) => keepResult)), of, rows.filter(isNeeded).length, maxLoss);
}

const isNeeded = ({ isNeeded }: Row) => isNeeded;

/** `keep_call_threshold`: calls below it, whose result is dropped too, go altogether. */
export function suggestCall(pool: Pool, maxLoss: number): Suggestions {
  const rows = pool.rows.filter(({ isMutating }) => !isMutating);
  const of = (threshold: number): Suggestion => {
    const { lost } = callsBelow(pool, ({ keepCall }) => keepCall < threshold);
    const below = rows.filter(({ keepCall }) => keepCall < threshold);
    return { threshold, lost, removed: pool.estimate((weights) => weigh(below, weights) / weigh(rows, weights)) };
  };
  const needed = rows.filter(({ isOwn, isCallNeeded }) => isOwn && isCallNeeded).length;
  return suggest(thresholds(rows.map(({ keepCall }) => keepCall)), of, needed, maxLoss);
}

function weigh(rows: readonly Row[], weights: Float64Array): number {
  return rows.reduce((total, { group }) => total + (weights[group] as number), 0);
}
