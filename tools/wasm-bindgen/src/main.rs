//! Turns the compiled module into the `.wasm` and the JavaScript glue that the npm package ships.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{env, fs, iter, mem};

use anyhow::{Context, Result, bail, ensure};
use wasm_bindgen_cli_support::{Bindgen, Output};

const NAME: &str = "inspection_findings";

fn main() -> Result<()> {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [module, folder] = arguments.as_slice() else {
        bail!("usage: inspection-findings-glue MODULE.wasm FOLDER");
    };
    make_glue(module, folder).with_context(|| format!("cannot make the glue of {}", module.display()))
}

fn make_glue(module: &Path, folder: &Path) -> Result<()> {
    // Keeps the names of the functions and the `target_features` section, which wasm-opt reads.
    let mut output = Bindgen::new()
        .input_path(module)
        .web(true)?
        .out_name(NAME)
        .omit_default_module_path(true)
        .typescript(true)
        .generate_output()?;
    let shortened = shorten_imports(&mut output);
    output.emit(folder)?;
    let script = folder.join(NAME).with_extension("js");
    fs::write(&script, shorten_glue(fs::read_to_string(&script)?, &shortened)?)?;
    Ok(())
}

/// Shortens the names that the module imports from the glue, because a page would load the long ones twice. Returns each name with its
/// short form.
fn shorten_imports(output: &mut Output) -> Vec<(String, String)> {
    let glue = format!("./{NAME}_bg.js");
    let imports = output.wasm_mut().imports.iter_mut().filter(|import| import.module == glue);
    let mut taken = HashSet::new();
    imports
        .map(|import| {
            let stem = stem(&import.name);
            let numbered = (2..).map(|number| format!("{stem}{number}"));
            let free = iter::once(stem.to_owned()).chain(numbered).find(|name| !taken.contains(name));
            let short = free.expect("there is a free number");
            taken.insert(short.clone());
            (mem::replace(&mut import.name, short.clone()), short)
        })
        .collect()
}

/// The readable part of an import's name: `then` of `__wbg_then_16d107c451e9905d`.
fn stem(name: &str) -> &str {
    let name = name.trim_start_matches("__wbg_").trim_start_matches("__wbindgen_");
    name.rsplit_once('_').map_or(name, |(stem, _)| stem)
}

/// Replaces the names in the glue, each in the one place where its function is defined.
fn shorten_glue(script: String, shortened: &[(String, String)]) -> Result<String> {
    shortened.iter().try_fold(script, |script, (long, short)| {
        let given = format!("\n        {long}: ");
        let times = script.matches(&given).count();
        ensure!(times == 1, "the glue has another form: it gives the import {long} {times} times, not once");
        Ok(script.replace(&given, &format!("\n        {short}: ")))
    })
}
