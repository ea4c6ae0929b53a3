/**
 * Compacts the history of a tool-using LLM agent: asks a decision model, for each old tool call, whether the call still matters
 * and whether its full output must stay, and proposes a smaller snapshot that keeps everything else word for word.
 */
export { applyDecisions, compactContext, inspectRequests } from "./compact.js";
export { type CompactorCall, type CompactorSettings, createCompactor } from "./compactor.js";
export { init } from "./engine.js";
export { CompactionError, type CompactionErrorCode } from "./errors.js";
export { compactContextJson } from "./json.js";
export { restore } from "./restore.js";
export { localDecisionModel } from "./runtime.js";
export type * from "./types.js";
export { VERSION } from "./version.js";
