/** Interleaved timing: every round runs each operation once, so that noise from outside falls on all of them alike. */

export type Operation = () => unknown;

/** Median milliseconds per call, by name. */
export async function rounds<Name extends string>(
  operations: Record<Name, Operation>,
  count: number,
): Promise<Record<Name, number>> {
  const entries = Object.entries(operations) as [Name, Operation][];
  const repeats = new Map<Name, number>();
  const times = new Map<Name, number[]>();
  for (const [name, operation] of entries) {
    // The first runs are for the compiler; the last of them tells how often a short operation must be repeated.
    for (let warm = 0; warm < 5; warm++) await operation();
    const start = performance.now();
    await operation();
    repeats.set(name, Math.max(1, Math.min(200, Math.ceil(1 / Math.max(0.005, performance.now() - start)))));
    times.set(name, []);
  }
  for (let round = 0; round < count; round++) {
    for (const [name, operation] of entries) {
      globalThis.gc?.();
      const repeat = repeats.get(name) as number;
      const start = performance.now();
      for (let run = 0; run < repeat; run++) {
        const value = operation();
        if (value instanceof Promise) await value;
      }
      times.get(name)?.push((performance.now() - start) / repeat);
    }
  }
  return Object.fromEntries(entries.map(([name]) => [name, median(times.get(name) as number[])])) as never;
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] as number;
}
