/** A module that the bundler or the runtime has compiled. */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

/** The same, as edge functions ask for it. */
declare module "*.wasm?module" {
  const module: WebAssembly.Module;
  export default module;
}

/** The module as base64; made by pkg/scripts/build.mjs. */
declare module "#wasm-base64" {
  const text: string;
  export default text;
}
