//! Turns the compiled module into the `.wasm` and the JavaScript glue that the npm package ships.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, iter, mem};

use anyhow::{Context, Result, bail, ensure};
use wasm_bindgen_cli_support::{Bindgen, Output};

const NAME: &str = "inspection_findings";

/// The file of the functions that the module imports without glue.
const HOST: &str = "./core/engine/host-functions.js";

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
    let names = shorten(&mut output);
    output.emit(folder)?;
    let script = folder.join(NAME).with_extension("js");
    fs::write(&script, shorten_glue(&fs::read_to_string(&script)?, &names)?)?;
    // For tests, which know the long names. Debug writes them as JSON does.
    let imports: BTreeMap<_, _> = names.glue.into_iter().chain(names.host).collect();
    fs::write(folder.join("names.json"), format!("{{\"imports\": {imports:?}, \"exports\": {:?}}}", names.exports))?;
    Ok(())
}

/// The short names of the imports and exports of the module, because a page would load the long ones twice.
#[derive(Default)]
struct Names {
    /// The file from which the module now imports everything. It is a hash of the long names, so the glue of another version of the package
    /// lacks this file, and cannot start the module.
    source: String,
    /// The functions of the glue, each with its long and its short name.
    glue: Vec<(String, String)>,
    /// The functions of the host that the module imports without glue.
    host: Vec<(String, String)>,
    /// The exports that only the glue calls.
    exports: BTreeMap<String, String>,
}

/// Shortens the names in the module.
fn shorten(output: &mut Output) -> Names {
    let mut names = Names::default();
    let mut hasher = DefaultHasher::new();
    let module = output.wasm_mut();
    for (import, short) in module.imports.iter_mut().zip(short_names()) {
        let long = mem::replace(&mut import.name, short.clone());
        hasher.write(long.as_bytes());
        let renamed = if import.module == HOST { &mut names.host } else { &mut names.glue };
        renamed.push((long, short));
    }
    for (export, short) in module.exports.iter_mut().zip(short_names()) {
        hasher.write(export.name.as_bytes());
        // The functions that a worker calls without glue have no underscore.
        if export.name.contains('_') {
            let short = if must_not_throw(&export.name) { format!("${short}") } else { short };
            let long = mem::replace(&mut export.name, short.clone());
            names.exports.insert(long, short);
        }
    }
    names.source = format!("{:08x}", hasher.finish() as u32);
    for import in module.imports.iter_mut() {
        import.module.clone_from(&names.source);
    }
    names
}

/// The names `a` to `z`, then `aa`, `ab` and so on.
fn short_names() -> impl Iterator<Item = String> {
    let letters = || (b'a'..=b'z').map(char::from);
    let two = letters().flat_map(move |first| letters().map(move |second| format!("{first}{second}")));
    letters().map(String::from).chain(two)
}

/// Whether the host calls an export (closures), or it frees memory (destructors): throwing there would only be an uncaught error. Its
/// short name begins with `$`, by which `src/js/core/module/instance.ts` knows it.
fn must_not_throw(export: &str) -> bool {
    export.starts_with("wasm_bindgen__convert__closures_____invoke__")
        || export == "__wbindgen_destroy_closure"
        || (export.starts_with("__wbg_") && export.ends_with("_free"))
}

/// Replaces the names in the glue, where the host's functions become members of the one object from which the module imports.
fn shorten_glue(script: &str, names: &Names) -> Result<String> {
    let host = format!("{HOST}\"");
    let is_of_host = |line: &&str| line.starts_with("import * as ") && line.ends_with(&host);
    let is_member = |line: &&str| line.starts_with(&format!("        \"{host}: "));
    let lines = script.lines().filter(|line| !is_of_host(line) && !is_member(line));
    let mut script: String = lines.flat_map(|line| [line, "\n"]).collect();
    let longs: Vec<&str> = names.host.iter().map(|(long, _)| long.as_str()).collect();
    replace(&mut script, "\nimport { ", &format!("\nimport {{ {} }} from \"{HOST}\";\nimport {{ ", longs.join(", ")))?;
    let begin = "    const import0 = {\n        __proto__: null,\n";
    let members = names.host.iter().map(|(long, short)| format!("        {short}: {long},\n"));
    replace(&mut script, begin, &iter::once(begin.to_owned()).chain(members).collect::<String>())?;
    replace(&mut script, &format!("\"./{NAME}_bg.js\": import0"), &format!("\"{}\": import0", names.source))?;
    for (long, short) in &names.glue {
        replace(&mut script, &format!("\n        {long}: "), &format!("\n        {short}: "))?;
    }
    let parts = script.split("wasm.").enumerate().map(|(index, part)| {
        let end = part.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(part.len());
        let (name, rest) = part.split_at(if index == 0 { 0 } else { end });
        names.exports.get(name).map_or(name, String::as_str).to_owned() + rest
    });
    Ok(parts.collect::<Vec<_>>().join("wasm."))
}

/// Replaces what is in the glue once.
fn replace(script: &mut String, before: &str, after: &str) -> Result<()> {
    let times = script.matches(before).count();
    ensure!(times == 1, "the glue has another form: {before:?} is there {times} times, not once");
    *script = script.replace(before, after);
    Ok(())
}
