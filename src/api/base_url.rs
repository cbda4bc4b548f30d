//! The base URL of the service: given by the caller, or the page's own.

use js_sys::{Reflect, TypeError};
use wasm_bindgen::prelude::*;
use web_sys::Url;

use super::arguments::type_error;

/// The base URL that the caller gives, relative to the page's own where there is one.
pub fn given(value: &JsValue) -> Result<String, JsValue> {
    let text = match value.as_string() {
        Some(text) => text,
        None if value.is_object() => {
            let href = Reflect::get(value, &"href".into())?.as_string();
            href.ok_or_else(|| type_error("baseUrl", "a string or a URL", value))?
        }
        None => return Err(type_error("baseUrl", "a string or a URL", value)),
    };
    let parsed = match page() {
        Some(page) => Url::new_with_base(&text, &page),
        None => Url::new(&text),
    };
    let url = parsed.map_err(|_| error(&text, "is not a valid URL"))?;
    let flaw = flaw(&url);
    flaw.map_or_else(|| Ok(directory(&url)), |flaw| Err(error(&text, flaw)))
}

/// The page's own base URL.
pub fn of_page() -> Result<String, JsValue> {
    let base = page().and_then(|page| Url::new_with_base(".", &page).ok()).filter(is_http);
    base.as_ref().map(directory).ok_or_else(|| {
        TypeError::new("baseUrl must be given: this environment has no page whose base URL could be used").into()
    })
}

fn page() -> Option<String> {
    let member = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok();
    let global = js_sys::global();
    let of_document = member(&global, "document").and_then(|document| member(&document, "baseURI")?.as_string());
    of_document.or_else(|| member(&member(&global, "location")?, "href")?.as_string())
}

fn flaw(url: &Url) -> Option<&'static str> {
    match () {
        () if !is_http(url) => Some("is not an http or https URL"),
        () if !url.username().is_empty() || !url.password().is_empty() => {
            Some("has credentials in it; give them by the headers option")
        }
        () if !url.search().is_empty() => Some("has a query, which no operation of the service takes"),
        () if !url.hash().is_empty() => Some("has a fragment, which is never sent"),
        () => None,
    }
}

fn is_http(url: &Url) -> bool {
    matches!(url.protocol().as_str(), "http:" | "https:")
}

fn directory(url: &Url) -> String {
    let (origin, path) = (url.origin(), url.pathname());
    let slash = if path.ends_with('/') { "" } else { "/" };
    format!("{origin}{path}{slash}")
}

/// Names the URL without what could be secret in it.
fn error(text: &str, flaw: &str) -> JsValue {
    let secret = text.contains('@') || text.contains('?') || text.contains('#');
    let named = if secret { String::from("baseUrl") } else { format!("baseUrl \"{text}\"") };
    TypeError::new(&format!("{named} {flaw}")).into()
}
