/** A static server for the pages of the tests. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** A running server. */
export interface Listening {
  /** Ends with a slash. */
  address: string;
  stop(): Promise<void>;
}

/** Starts a server of this machine alone. */
export async function listen(listener: RequestListener, port = 0): Promise<Listening> {
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop };
}

/** The path that a request asks for. */
export function pathOf({ url = "/" }: IncomingMessage): string {
  return normalize(decodeURIComponent(new URL(url, "http://localhost").pathname));
}

/** Answers with a file of a folder, or that there is none. */
export function sendFile(folder: string, path: string, response: ServerResponse): void {
  const file = join(folder, path);
  if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) {
    response.writeHead(404).end();
    return;
  }
  response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream").end(readFileSync(file));
}
