/** Equality as the contract means it: same values, same types, same key order, same text units. Without recursion. */
export function same(one: unknown, other: unknown): boolean {
  const pairs: [unknown, unknown][] = [[one, other]];
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [left, right] = pair;
    if (Object.is(left, right)) continue;
    if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
    if (Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) return false;
    if (left instanceof Date || left instanceof RegExp || left instanceof URL) {
      if (`${left}` !== `${right}`) return false;
      continue;
    }
    if (left instanceof Map || left instanceof Set) {
      pairs.push([[...left], [...(right as typeof left)]]);
      continue;
    }
    const keys = Reflect.ownKeys(left);
    const others = Reflect.ownKeys(right);
    if (keys.length !== others.length || keys.some((key, index) => key !== others[index])) return false;
    for (const key of keys) pairs.push([left[key as keyof typeof left], right[key as keyof typeof right]]);
  }
  return true;
}
