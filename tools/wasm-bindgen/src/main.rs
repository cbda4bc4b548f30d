//! Turns the compiled module into the `.wasm` and the JavaScript glue that the npm package ships.

use std::{env, path::PathBuf};

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [module, folder] = arguments.as_slice() else {
        bail!("usage: inspection-findings-glue MODULE.wasm FOLDER");
    };
    // The `target_features` section stays: wasm-opt reads from it what the module may use.
    Bindgen::new()
        .input_path(module)
        .web(true)?
        .out_name("inspection_findings")
        .omit_default_module_path(true)
        .typescript(true)
        .remove_name_section(true)
        .generate(folder)
        .with_context(|| format!("cannot make the glue of {}", module.display()))
}
