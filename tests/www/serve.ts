/** Serves the built page, and endpoints of the System One wire that answer, fail or hang. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** A running server. */
export interface Server {
  address: string;
  /** Bodies that the answering endpoint got. */
  asked: string[];
  /** What it got as keys. */
  keys: string[];
  /** Paths of the files that were fetched. */
  served: string[];
  stop(): Promise<void>;
}

/** Starts a server for a folder. */
export async function serve(folder: string, port = 0): Promise<Server> {
  const asked: string[] = [];
  const keys: string[] = [];
  const served: string[] = [];
  const server = createServer((request, response) => {
    if (request.method === "POST") {
      keys.push(request.headers.authorization ?? "");
      void endpoint(request, response, asked);
    } else {
      served.push(new URL(request.url ?? "/", "http://localhost").pathname);
      file(folder, request, response);
    }
  });
  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked, keys, served, stop };
}

function file(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  const path = join(folder, normalize(pathname === "/" ? "/index.html" : pathname));
  if (!path.startsWith(folder) || !existsSync(path) || !statSync(path).isFile()) {
    response.writeHead(404).end();
    return;
  }
  response.setHeader("content-type", TYPES[extname(path)] ?? "application/octet-stream").end(readFileSync(path));
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
