import type { DecisionModel } from "../types.js";
import { asked, type Limits, limited, noul, responseOf } from "./shared.js";

/** An object with `systemOne`, as far as it is used. */
export interface SystemOneClient {
  // `any`: structural, so that no package is needed
  systemOne(...args: any[]): PromiseLike<{ answers: unknown; usage?: unknown; model?: string }>;
}

/** How the client is called. */
export interface ClientOptions {
  /** Handed on where given. */
  model?: string;
  /** `request`: one object and options, as TypeSafe's client; `arguments`: state and questions, as Laya. @default "request" */
  call?: "request" | "arguments";
  /** What the model allows; models in the page have small contexts. */
  limits?: Limits;
}

/** Longer than any attempt of `compactContext`, which keeps the time itself. */
const NO_TIMEOUT = 600_000;

/**
 * Any object with `systemOne`: TypeSafe's client, or Laya in the page. The client's own retries and timeout are switched off:
 * `compactContext` does both.
 */
export function clientModel(
  client: SystemOneClient,
  { model, call = "request", limits }: ClientOptions = {},
): DecisionModel {
  return limited(async (request, { signal }) => {
    const questions = asked(request, noul);
    const response =
      call === "arguments"
        ? await client.systemOne(request.state, questions, { signal })
        : await client.systemOne(
            { state: request.state, questions, ...(model !== undefined && { model }) },
            { signal, timeout: NO_TIMEOUT, retry: { maxRetries: 0 } },
          );
    return responseOf(response);
  }, limits);
}
