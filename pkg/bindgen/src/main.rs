//! `keepline-bindgen WASM OUT_DIR`: writes the JavaScript glue and the final module.
fn main() {}
