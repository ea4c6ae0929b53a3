/** What every engine computes: the local model's decisions on some histories, as one number for all their bits. */
import { type CompactionRequest, compactContext, init, localDecisionModel, type ModuleSource } from "keepline";

/** Mixes the 64 bits of a number into a state of 32 (FNV-1a by words). */
function mix(state: number, value: number): number {
  let mixed = state;
  for (const half of new Uint32Array(new Float64Array([value]).buffer))
    mixed = Math.imul(mixed ^ half, 0x01000193) >>> 0;
  return mixed;
}

/** The decisions of all points: how many, and a number for the bits of all of them. */
export async function probe(requests: CompactionRequest[], module?: ModuleSource): Promise<string> {
  await init(module);
  let state = 0x811c9dc5;
  let count = 0;
  for (const request of requests) {
    for (const point of ["careful", "balanced", "firm"] as const) {
      const { decisions } = await compactContext(request, localDecisionModel({ point }));
      for (const { keep_call = 2, keep_result = 2 } of decisions) {
        state = mix(mix(state, keep_call), keep_result);
        count++;
      }
    }
  }
  return `${count} decisions, ${state.toString(16).padStart(8, "0")}`;
}
