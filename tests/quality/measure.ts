/** Figures of decisions on labelled calls: rank quality, removed against lost, and how sure that is. */

/** A candidate with its labels and what policies say of it. */
export interface Row {
  /** Number of the group of its session. */
  group: number;
  /** Code points that shortening the output frees, 0 for a short one. */
  freed: number;
  isOwn: boolean;
  /** Whether the running task needed the output word for word. */
  isNeeded: boolean;
  /** Whether it needed the call in any way. */
  isCallNeeded: boolean;
  isMutating: boolean;
  keepCall: number;
  keepResult: number;
  /** Order of the plain policies: the lowest is dropped first. */
  recency: number;
  lastUser: number;
  size: number;
}

/** How often each group is drawn. */
type Weights = Float64Array;

/** Rows of some snapshots. */
export class Pool {
  readonly rows: Row[] = [];
  /** Code points of all outputs by group. */
  readonly chars: number[] = [];
  snapshots = 0;
  private drawn: Weights[] | undefined;

  /** Takes the rows of a snapshot, and how many code points its outputs have. */
  add(rows: readonly Row[], group: number, chars: number): void {
    this.rows.push(...rows);
    this.chars[group] = (this.chars[group] ?? 0) + chars;
    this.snapshots++;
    this.drawn = undefined;
  }

  /** Groups that are in the pool. */
  get groups(): number[] {
    return Object.keys(this.chars).map(Number);
  }

  /** The data themselves, then resamples of the groups. */
  get samples(): readonly Weights[] {
    this.drawn ??= resamples(this.groups, this.chars.length);
    return this.drawn;
  }

  /** A figure with its interval over resamples of the groups. */
  estimate(figure: (weights: Weights) => number): Estimate {
    const [value = Number.NaN, ...others] = this.samples.map(figure);
    const sorted = others.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
    return { value, low: at(0.025), high: at(0.975) };
  }

  /** Code points of all outputs under weights. */
  allChars(weights: Weights): number {
    return this.groups.reduce((total, group) => total + (this.chars[group] ?? 0) * (weights[group] ?? 0), 0);
  }
}

/** An estimate with its 95 % interval. */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

/** Resamples of a bootstrap. */
const RESAMPLES = 400;

/** A generator of numbers from 0 to 1 that repeats itself (mulberry32, by Tommy Ettinger). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function resamples(groups: readonly number[], length: number): Weights[] {
  const draw = random(groups.length);
  const samples = [new Float64Array(length).fill(1)];
  for (let index = 0; index < RESAMPLES; index++) {
    const sample = new Float64Array(length);
    for (let drawn = 0; drawn < groups.length; drawn++) {
      const group = groups[Math.floor(draw() * groups.length)] as number;
      sample[group] = (sample[group] ?? 0) + 1;
    }
    samples.push(sample);
  }
  return samples;
}

/** Probability that a needed call ranks above one that is not; ties count half. */
export function auc(pairs: readonly (readonly [score: number, isNeeded: boolean])[]): number {
  const sorted = pairs.toSorted(([a], [b]) => a - b);
  const needed = sorted.filter(([, isNeeded]) => isNeeded).length;
  const others = sorted.length - needed;
  if (needed === 0 || others === 0) return Number.NaN;
  let ranks = 0;
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    while (end < sorted.length && sorted[end]?.[0] === sorted[start]?.[0]) end++;
    const hits = sorted.slice(start, end).filter(([, isNeeded]) => isNeeded).length;
    ranks += (hits * (start + end + 1)) / 2;
    start = end;
  }
  return (ranks - (needed * (needed + 1)) / 2) / (needed * others);
}

/** A sum over rows under weights. */
function sum(rows: readonly Row[], weights: Weights, of: (row: Row) => number): number {
  let total = 0;
  for (const row of rows) total += of(row) * (weights[row.group] as number);
  return total;
}

/** The share of needed results lost when a share of all output characters is removed in an order; NaN where it cannot be. */
export function lostAt(pool: Pool, order: (row: Row) => number, share: number): Estimate {
  const rows = pool.rows.filter(({ freed }) => freed > 0).toSorted((a, b) => order(a) - order(b));
  return pool.estimate((weights) => {
    const goal = share * pool.allChars(weights);
    const needed = sum(rows, weights, need);
    let [removed, lost] = [0, 0];
    for (const row of rows) {
      const drawn = weights[row.group] as number;
      const next = removed + row.freed * drawn;
      const nextLost = lost + need(row) * drawn;
      // Between two results the share lost grows evenly.
      if (next >= goal && drawn > 0)
        return (lost + (nextLost - lost) * ((goal - removed) / Math.max(1e-9, next - removed))) / needed;
      [removed, lost] = [next, nextLost];
    }
    return Number.NaN;
  });
}

const need = ({ isNeeded }: Row) => (isNeeded ? 1 : 0);

/** What dropping some results does. */
export interface DropFigures {
  removed: Estimate;
  lost: Estimate;
  /** Share of the droppable characters of ended tasks; NaN without ended tasks. */
  ended: Estimate;
}

/** What dropping some results does, as shares of output characters and of needed results. */
export function dropped(pool: Pool, isDropped: (row: Row) => boolean): DropFigures {
  const rows = pool.rows.filter(({ freed }) => freed > 0);
  const gone = rows.filter(isDropped);
  const freed = (row: Row) => row.freed;
  const ended = (row: Row) => (row.isOwn ? 0 : row.freed);
  return {
    removed: pool.estimate((weights) => sum(gone, weights, freed) / pool.allChars(weights)),
    lost: pool.estimate((weights) => sum(gone, weights, need) / sum(rows, weights, need)),
    ended: pool.estimate((weights) => sum(gone, weights, ended) / sum(rows, weights, ended)),
  };
}

/** Calls below the line of the call question. */
export interface CallFigures {
  /** Share of the calls of ended tasks that change nothing. */
  ended: Estimate;
  /** The same of the running task. */
  own: Estimate;
  /** Share of the needed ones of the running task. */
  lost: Estimate;
  /** Number of calls that change something; must be 0. */
  mutating: number;
}

/** What the call question does at a threshold. */
export function callsBelow(pool: Pool, isBelow: (row: Row) => boolean): CallFigures {
  const share = (of: (row: Row) => boolean) => {
    const wanted = pool.rows.filter((row) => !row.isMutating && of(row));
    const below = wanted.filter(isBelow);
    return pool.estimate((weights) => sum(below, weights, () => 1) / sum(wanted, weights, () => 1));
  };
  return {
    ended: share(({ isOwn }) => !isOwn),
    own: share(({ isOwn }) => isOwn),
    lost: share(({ isOwn, isCallNeeded }) => isOwn && isCallNeeded),
    mutating: pool.rows.filter((row) => row.isMutating && isBelow(row)).length,
  };
}
