//! `keepline-bindgen WASM OUT_DIR`: runs wasm-bindgen over a compiled module.
//!
//! As a library call, so that its version comes from Cargo.lock and no global tool is needed.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, out_dir] = arguments.as_slice() else {
        eprintln!("usage: keepline-bindgen WASM OUT_DIR");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(module)
        .out_name("glue")
        .omit_default_module_path(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .typescript(false);
    // The form without `import`: the build wraps it into a function, so that each instance has glue of its own.
    match bindgen
        .no_modules(true)
        .and_then(|bindgen| bindgen.generate(out_dir))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("keepline-bindgen: {error:#}");
            ExitCode::FAILURE
        }
    }
}
