import type { CombinedDecisionModel, DecisionModel, LocalDecisionModel } from "../types.js";

/** The embedded model at its default point, as `localDecisionModel()` gives it. */
const LOCAL: LocalDecisionModel = Object.freeze({ kind: "local", point: "balanced", cut: "options" });

/** How sure the local model must be to decide alone. */
export interface LocalFirstOptions {
  /** @default localDecisionModel() */
  local?: LocalDecisionModel;
  /** The other model is asked where a probability of the local one lies between these. @default [0.2, 0.8] */
  band?: readonly [low: number, high: number];
}

/**
 * The local model decides what it is sure of; the other one is asked about the rest alone. `stats.decided_locally` tells how many
 * candidates needed no question.
 *
 * @param remote a decision function
 */
export function localFirst(
  remote: DecisionModel,
  { local = LOCAL, band = [0.2, 0.8] }: LocalFirstOptions = {},
): CombinedDecisionModel {
  const [low, high] = band;
  if (!(low >= 0 && low <= high && high <= 1))
    throw new TypeError("localFirst: band must be two numbers from 0 to 1, in order");
  return made(remote, local, "uncertain", [low, high]);
}

/**
 * The other model decides; where it fails for good (not when the host aborts), the local one decides everything, and
 * `stats.fallback` says why.
 *
 * @param remote a decision function
 */
export function withLocalFallback(
  remote: DecisionModel,
  { local = LOCAL }: { local?: LocalDecisionModel } = {},
): CombinedDecisionModel {
  return made(remote, local, "all", [0, 1]);
}

function made(
  remote: DecisionModel,
  local: LocalDecisionModel,
  remoteFor: CombinedDecisionModel["remoteFor"],
  band: readonly [number, number],
): CombinedDecisionModel {
  if (typeof remote !== "function") throw new TypeError("the remote model must be a function");
  return Object.freeze({ kind: "combined", local, remote, remoteFor, band: Object.freeze(band) });
}
