/** What differs between two texts: keepline takes out one stretch and puts a marker there, so one stretch is the whole diff. */
export interface Diff {
  /** The same at the start. */
  start: string;
  removed: string;
  added: string;
  /** The same at the end. */
  end: string;
}

const isHighSurrogate = (code: number) => (code & 0xfc00) === 0xd800;

/** The longest common start and end, and what lies between; characters are never split. */
export function diff(before: string, after: string): Diff {
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before[start] === after[start]) start++;
  if (start > 0 && isHighSurrogate(before.charCodeAt(start - 1))) start--;
  let end = 0;
  while (end < shortest - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  if (end > 0 && isHighSurrogate(before.charCodeAt(before.length - end - 1))) end--;
  return {
    start: before.slice(0, start),
    removed: before.slice(start, before.length - end),
    added: after.slice(start, after.length - end),
    end: before.slice(before.length - end),
  };
}
