/** The module inside the code, for places where no second file can be: larger, and needs no request. */
import text from "#wasm-base64";
import { useLoader } from "../engine.js";

const bytes = () => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

useLoader(
  {
    load: () => WebAssembly.compile(bytes()),
    loadSync: () => new WebAssembly.Module(bytes()),
    advice:
      "This place does not allow WebAssembly; in a page, allow 'wasm-unsafe-eval' in the Content-Security-Policy; in Cloudflare Workers, import keepline",
  },
  true,
);
