/** Random values from a seed: the same seed gives the same history on every machine. */
export class Random {
  constructor(private state: number) {}

  /** From 0 to 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let value = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  }

  /** An integer from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  text(most: number): string {
    const words = ["berth 7 free;", "ok", "é中🐝", "line\n", '{"a":1}', "pay/retry.ts:14"];
    const count = this.below(most);
    return `${Array.from({ length: count }, () => this.pick(words)).join(" ")}x`;
  }
}
