/** A local server that speaks a provider's wire, and fails as told. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the server does with a request. */
export type Step =
  /** Answers every question. */
  | "answer"
  /** Answers with these headers and status. */
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Ends the connection in the middle of the answer. */
  | "cut"
  /** Sends half of the answer and then nothing. */
  | "hang"
  /** Never answers. */
  | "silence"
  /** Sends text that is no JSON. */
  | "garbage";

/** What a provider was sent. */
export interface Seen {
  path: string;
  headers: IncomingMessage["headers"];
  // `any`: every provider has a body of its own
  body: any;
}

/** A running server. */
export interface Provider {
  url: string;
  seen: Seen[];
  close(): Promise<void>;
}

/** Starts a server that takes the steps in order, the last one for ever; `answer` makes the body of an answer. */
export async function provider(answer: (body: Seen["body"]) => unknown, ...steps: Step[]): Promise<Provider> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString() || "null");
    const step = steps[Math.min(seen.length, steps.length - 1)] ?? "answer";
    seen.push({ path: request.url ?? "", headers: request.headers, body });
    take(step, response, () => JSON.stringify(answer(body)));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const close = () =>
    new Promise<void>((closed) => {
      server.closeAllConnections();
      server.close(() => closed());
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, close };
}

function take(step: Step, response: ServerResponse, answer: () => string): void {
  const json = { "content-type": "application/json" };
  if (typeof step === "object") {
    response.writeHead(step.status, { ...json, ...step.headers }).end(step.body ?? '{"error":{"message":"as told"}}');
  } else if (step === "answer") {
    response.writeHead(200, json).end(answer());
  } else if (step === "silence") {
    response.on("close", () => {});
  } else if (step === "garbage") {
    response.writeHead(200, json).end("<html>no JSON</html>");
  } else {
    const text = answer();
    response.writeHead(200, { ...json, "content-length": String(text.length) });
    response.write(text.slice(0, text.length / 2), () => {
      if (step === "cut") response.destroy();
    });
  }
}
