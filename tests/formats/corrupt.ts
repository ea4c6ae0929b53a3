/** Valid histories with something wrong in them. */
import type { Random } from "./random.js";

const JUNK: readonly (() => unknown)[] = [
  () => null,
  () => undefined,
  () => 7,
  () => "",
  () => "x",
  () => [],
  () => ({}),
  () => [null],
  () => ({ type: "text" }),
  () => [{ type: "text", text: 7 }],
  () => true,
];

/** Replaces some values anywhere inside the messages by others; instances of classes are changed in place. */
export function corrupt(messages: readonly object[], random: Random): object[] {
  const copies = messages.map((message) => ("_getType" in message ? message : structuredClone(message)));
  const times = 1 + random.below(4);
  for (let time = 0; time < times; time++) {
    let at = random.pick(copies) as Record<string, unknown>;
    for (;;) {
      const keys = Object.keys(at);
      if (keys.length === 0) break;
      const key = random.pick(keys);
      const value = at[key];
      if (typeof value === "object" && value !== null && !(value instanceof URL) && random.chance(0.75)) {
        at = value as Record<string, unknown>;
        continue;
      }
      try {
        at[key] = random.pick(JUNK)();
      } catch {
        // Bytes take no objects.
      }
      break;
    }
  }
  return copies;
}
