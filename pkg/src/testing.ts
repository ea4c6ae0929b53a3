/** For the tests of hosts: decision models that say what they are told, and remember what they were asked. */
import type { DecisionContext, DecisionModel, DecisionRequest } from "./types.js";

/** What a scripted model says of one call: of the call itself and of its full output, 0 to 1. */
export interface ScriptedAnswer {
  call: number;
  result: number;
}

/** A scripted model. */
export interface ScriptedModel extends DecisionModel {
  /** Every request so far. */
  readonly requests: DecisionRequest[];
}

/**
 * A decision model that answers from a script, without a network.
 *
 * @param script answers by the name of the pair (`t1`, `t2`, …), or a function of that name; what it leaves out is kept
 */
export function scriptedModel(
  script: Readonly<Record<string, ScriptedAnswer>> | ((pair: string) => ScriptedAnswer | undefined) = {},
): ScriptedModel {
  const requests: DecisionRequest[] = [];
  const of =
    typeof script === "function" ? script : (pair: string) => (Object.hasOwn(script, pair) ? script[pair] : undefined);
  const model = async (request: DecisionRequest, _context: DecisionContext) => {
    requests.push(request);
    const answers = Object.keys(request.questions).map((name) => {
      const [kind, pair = ""] = name.split("_");
      return [name, of(pair)?.[kind as keyof ScriptedAnswer] ?? 1] as const;
    });
    return { answers: Object.fromEntries(answers) };
  };
  return Object.assign(model, { requests });
}
