import { compactContext } from "./compact.js";
import { invalidRequest } from "./errors.js";
import type { AnyDecisionModel, CompactionRequest, CompactionResult, Message, RuntimeOptions } from "./types.js";

/** A request without what changes from call to call. */
export type CompactorSettings = Partial<Omit<CompactionRequest, "messages">>;

/** What one call says beside the messages; it wins over the settings, option by option. */
export type CompactorCall = CompactorSettings;

/**
 * `compactContext` with settings, model and runtime options bound once.
 *
 * @param settings what all calls share; a goal may be given here or with each call
 * @param model the decision model
 * @param runtime what is not data
 */
export function createCompactor(
  settings: CompactorSettings,
  model: AnyDecisionModel,
  runtime?: RuntimeOptions,
): <M = Message>(messages: readonly M[], call?: CompactorCall, more?: RuntimeOptions) => Promise<CompactionResult<M>> {
  return async <M = Message>(messages: readonly M[], call: CompactorCall = {}, more: RuntimeOptions = {}) => {
    for (const [path, value] of Object.entries({ settings, call, runtime: runtime ?? {}, more }))
      if (typeof value !== "object" || value === null)
        throw invalidRequest(path, `${path} must be an object`, { value });
    const options = { ...settings.options, ...call.options };
    // Without a goal the core says so.
    const request = { ...settings, ...call, options, messages } as unknown as CompactionRequest<M>;
    return compactContext(request, model, { ...runtime, ...more });
  };
}
