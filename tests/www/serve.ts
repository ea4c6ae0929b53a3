/** Serves the built page, and endpoints of the System One wire that answer, fail or hang. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Listening, listen, pathOf, sendFile } from "../browsers/serve.js";

/** A running server. */
export interface Server extends Listening {
  /** Bodies that the answering endpoint got. */
  asked: string[];
  /** What it got as keys. */
  keys: string[];
  /** Paths of the files that were fetched. */
  served: string[];
}

/** Starts a server for a folder. */
export async function serve(folder: string, port = 0): Promise<Server> {
  const asked: string[] = [];
  const keys: string[] = [];
  const served: string[] = [];
  const listening = await listen((request, response) => {
    const path = pathOf(request);
    if (request.method === "POST") {
      keys.push(request.headers.authorization ?? "");
      void endpoint(request, response, asked);
    } else {
      served.push(path);
      sendFile(folder, path === "/" ? "/index.html" : path, response);
    }
  }, port);
  return { ...listening, asked, keys, served };
}

/** `/answer` answers every question, `/fail` always fails, `/hang` never answers. */
async function endpoint(request: IncomingMessage, response: ServerResponse, asked: string[]): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = Buffer.concat(parts).toString();
  if (request.url === "/hang") return;
  if (request.url === "/fail") {
    response.writeHead(401).end("no such key");
    return;
  }
  asked.push(body);
  const { questions } = JSON.parse(body) as { questions: Record<string, { type: string }> };
  const answers = Object.fromEntries(Object.keys(questions).map((name) => [name, { type: "noul", noul: 0.25 }]));
  response.setHeader("content-type", "application/json").end(JSON.stringify({ answers }));
}
