/** The figures of a run: computed once, shown as text or given as JSON. */
import {
  auc,
  type CallFigures,
  callsBelow,
  type DropFigures,
  dropped,
  type Estimate,
  lostAt,
  type Pool,
  type Row,
} from "./measure.js";
import type { Pools } from "./score.js";
import { type Suggestions, suggestCall, suggestResult } from "./suggest.js";

/** Shares of output characters at which policies are compared. */
const SHARES = [0.2, 0.3, 0.4, 0.5, 0.6] as const;

/** The line of both questions. */
const LINE = 0.5;

/** A way to order what goes first, and how well it does. */
export interface PolicyFigures {
  name: string;
  /** Probability that a needed result ranks above another. */
  auc: number;
  /** Share of needed results lost when 20, 30, 40, 50 and 60 % of the characters are removed. */
  lost: Estimate[];
}

/** A model at its own line. */
export interface PointFigures extends DropFigures {
  name: string;
  calls: CallFigures;
}

/** All figures of a pool. */
export interface PoolFigures {
  name: string;
  snapshots: number;
  sessions: number;
  candidates: number;
  /** Candidates whose output a cut would shorten. */
  long: number;
  needed: number;
  policies: PolicyFigures[];
  points: PointFigures[];
}

/** Plain orders that need no model. */
const PLAIN: readonly [name: string, order: (row: Row) => number][] = [
  ["keep the last N", ({ recency }) => recency],
  ["before the last user text", ({ lastUser }) => lastUser],
  ["largest first", ({ size }) => size],
];

function policy(pool: Pool, name: string, order: (row: Row) => number): PolicyFigures {
  const pairs = pool.rows.filter(({ freed }) => freed > 0).map((row) => [order(row), row.isNeeded] as const);
  return { name, auc: auc(pairs), lost: SHARES.map((share) => lostAt(pool, order, share)) };
}

/** The figures of each pool that has needed results; `models` are names and the same pools asked by each. */
export function figuresOf(models: readonly [name: string, pools: Pools][]): PoolFigures[] {
  const [first] = models;
  if (!first) return [];
  return [...first[1].pools].map(([name, pool]) => {
    const asked = models.map(([model, pools]) => [model, pools.pools.get(name) as Pool] as const);
    return {
      name,
      snapshots: pool.snapshots,
      sessions: pool.groups.length,
      candidates: pool.rows.length,
      long: pool.rows.filter(({ freed }) => freed > 0).length,
      needed: pool.rows.filter(({ isNeeded, freed }) => isNeeded && freed > 0).length,
      policies: [
        ...asked.map(([model, pool]) => policy(pool, model, ({ keepResult }) => keepResult)),
        ...PLAIN.map(([plain, order]) => policy(pool, plain, order)),
      ],
      points: asked.map(([model, pool]) => ({
        name: model,
        ...dropped(pool, ({ keepResult }) => keepResult < LINE),
        calls: callsBelow(pool, ({ keepCall }) => keepCall < LINE),
      })),
    };
  });
}

const percent = (value: number) => (Number.isNaN(value) ? "-" : (value * 100).toFixed(1));
const interval = ({ value, low, high }: Estimate) =>
  Number.isNaN(value) ? "-" : `${percent(value)} [${percent(low)}-${percent(high)}]`;

function grid(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ");
  return rows.map((row) => `  ${line(row)}`).join("\n");
}

/** The figures of a pool for people, in percent with 95 % intervals over sessions. */
export function show(figures: PoolFigures): string {
  const { name, snapshots, sessions, candidates, long, needed, policies, points } = figures;
  const title = `${name}: ${snapshots} snapshots of ${sessions} tasks, ${candidates} candidates (${long} long), ${needed} needed results`;
  if (needed === 0) return `${title}: too few to measure a loss\n`;
  const orders = [
    ["lost when removing", "AUC", ...SHARES.map((share) => `${share * 100} %`)],
    ...policies.map(({ name, auc, lost }) => [name, auc.toFixed(3), ...lost.map(interval)]),
  ];
  const lines = [
    [
      "at the line 0.5",
      "removed",
      "needed lost",
      "of ended tasks dropped",
      "calls below: ended",
      "own",
      "needed lost",
      "changing",
    ],
    ...points.map(({ name, removed, lost, ended, calls }) => [
      name,
      ...[removed, lost, ended, calls.ended, calls.own, calls.lost].map(interval),
      String(calls.mutating),
    ]),
  ];
  return `${title}\n${grid(orders)}\n${grid(lines)}\n`;
}

/** Thresholds for a wanted loss, of one-task and of joined sessions. */
export interface Advice {
  pool: string;
  result: Suggestions;
  call: Suggestions;
}

/** The thresholds of a model for a wanted loss. */
export function adviceOf(pools: Pools, maxLoss: number): Advice[] {
  return ["one task", "joined"].flatMap((name) => {
    const pool = pools.pools.get(name);
    return pool ? [{ pool: name, result: suggestResult(pool, maxLoss), call: suggestCall(pool, maxLoss) }] : [];
  });
}

/** The advice in words. */
export function showAdvice(advice: readonly Advice[], maxLoss: number): string {
  const lines = advice.flatMap(({ pool, result, call }) => [
    `${pool}, at most ${percent(maxLoss)} % lost:`,
    ...sentence("keep_result_threshold", "of the output characters removed", result, maxLoss),
    ...sentence("keep_call_threshold", "of the calls below", call, maxLoss),
  ]);
  return `${lines.join("\n")}\n`;
}

function sentence(
  option: string,
  unit: string,
  { asMeasured, safe, needed, floor }: Suggestions,
  maxLoss: number,
): string[] {
  const tell = (what: string, suggestion: Suggestions["safe"]) =>
    suggestion
      ? `  ${option} ${suggestion.threshold.toFixed(3)} ${what}: ${interval(suggestion.removed)} % ${unit}, ${interval(suggestion.lost)} % lost`
      : `  ${option}: none ${what}`;
  const lines = [tell("as measured", asMeasured), tell("to be sure", safe)];
  if (floor > maxLoss)
    lines.push(
      `  only ${needed} were needed: even without a loss here, ${percent(floor)} % cannot be ruled out; measure more sessions`,
    );
  return lines;
}
