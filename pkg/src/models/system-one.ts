import type { DecisionModel, DecisionRequest, DecisionResponse } from "../types.js";
import { asked, HttpError, type Limits, limited, noul, responseOf } from "./shared.js";

/** A service that speaks the System One wire. */
export type SystemOneService = "typesafe" | "openrouter" | "cloudflare" | "ollama";

/** Where a model is and how it is asked. */
export interface SystemOneOptions {
  /** Fills in `url` and `model`. @default "typesafe" unless `url` is given */
  service?: SystemOneService;
  /** The address, whole. */
  url?: string;
  /** Your account at Cloudflare, which with the model makes the address of its REST interface. */
  account?: string;
  /** The provider's name of the model. */
  model?: string;
  /** Sent as a bearer token. In a page everybody can read it: use a proxy of yours, Workers AI or the local model there. */
  apiKey?: string;
  /** Further headers. */
  headers?: Readonly<Record<string, string>>;
  /** What the model allows, in place of what the service is known for; what is not named stays. */
  limits?: Limits;
  /** In place of the runtime's own. */
  fetch?: typeof fetch;
}

/** Addresses and models, as their documentation has them. */
const SERVICES: Readonly<Record<SystemOneService, { url?: string; model: string; limits?: Limits }>> = {
  typesafe: { url: "https://api.typesafe.ai/v1/systemone", model: "jev-latest", limits: { maxRequestTokens: 32_000 } },
  openrouter: { url: "https://openrouter.ai/api/alpha/decisions", model: "~typesafe/jev-latest" },
  cloudflare: { model: "@cf/cloudflare/clef-flash", limits: { maxQuestions: 64 } },
  ollama: { url: "http://localhost:11434/v1/systemone", model: "clef-flash:9b" },
};

/**
 * A decision model over HTTP: `POST {model, state, questions}`, answers by name or as a list, also inside Cloudflare's envelope.
 * Retrying is left to `compactContext`, which reads `retry-after-ms` and `Retry-After`.
 *
 * @param options which service, or the address of another one
 */
export function systemOneModel(options: SystemOneOptions = {}): DecisionModel {
  const service = options.service ?? (options.url === undefined ? "typesafe" : undefined);
  if (service !== undefined && !Object.hasOwn(SERVICES, service))
    throw new TypeError(`systemOneModel: service must be one of ${Object.keys(SERVICES).join(", ")}, or url be given`);
  const known = service === undefined ? undefined : SERVICES[service];
  const model = options.model ?? known?.model;
  const url = options.url ?? (service === "cloudflare" ? cloudflareUrl(options.account, model) : known?.url);
  if (url === undefined) throw new TypeError("systemOneModel: url is missing; for Cloudflare, account will do");
  if (options.apiKey !== undefined) warnInPage();
  const send = options.fetch ?? fetch;
  const headers = {
    "content-type": "application/json",
    ...(options.apiKey !== undefined && { authorization: `Bearer ${options.apiKey}` }),
    ...options.headers,
  };
  return limited(
    async (request, { signal }) => {
      const response = await send(url, { method: "POST", headers, body: bodyOf(request, model), signal });
      const text = await response.text();
      if (!response.ok) throw new HttpError(response.status, response.headers, text);
      return read(text, response);
    },
    known?.limits,
    options.limits,
  );
}

function cloudflareUrl(account: string | undefined, model: string | undefined): string | undefined {
  if (account === undefined) return undefined;
  return `https://api.cloudflare.com/client/v4/accounts/${encodeURIComponent(account)}/ai/run/${model}`;
}

/** The body; the view is text already and is not written again. */
function bodyOf(request: DecisionRequest, model: string | undefined): string {
  const questions = JSON.stringify(asked(request, noul));
  const named = model === undefined ? "" : `"model":${JSON.stringify(model)},`;
  return `{${named}"state":${request.stateJson},"questions":${questions}}`;
}

function read(text: string, response: Response): DecisionResponse {
  const answer = JSON.parse(text) as Record<string, unknown> | null;
  if (answer?.success === false)
    throw new HttpError(response.status, response.headers, JSON.stringify(answer.errors ?? answer));
  return responseOf(answer?.result ?? answer);
}

let warned = false;

function warnInPage(): void {
  const isPage = typeof document === "object" && typeof window === "object";
  if (!isPage || warned) return;
  warned = true;
  console.warn(
    "keepline: an API key in a page can be read by everybody who opens it. Use a proxy of yours, Workers AI, or localDecisionModel().",
  );
}
