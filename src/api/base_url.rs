//! The base URL of the service: given by the caller, or the page's own. It stays a JavaScript string, because it may be long.

use js_sys::{JsString, Reflect, TypeError};
use wasm_bindgen::prelude::*;

use super::arguments::type_error;
use crate::js_string::excerpt;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = URL)]
    type Url;
    #[wasm_bindgen(constructor, catch, js_class = "URL")]
    fn new(text: &JsString) -> Result<Url, JsValue>;
    #[wasm_bindgen(constructor, catch, js_class = "URL")]
    fn relative_to(text: &JsString, base: &JsString) -> Result<Url, JsValue>;
    #[wasm_bindgen(method, getter)]
    fn protocol(this: &Url) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn username(this: &Url) -> JsString;
    #[wasm_bindgen(method, getter)]
    fn password(this: &Url) -> JsString;
    #[wasm_bindgen(method, getter)]
    fn origin(this: &Url) -> JsString;
    #[wasm_bindgen(method, getter)]
    fn pathname(this: &Url) -> JsString;
    #[wasm_bindgen(method, getter)]
    fn search(this: &Url) -> JsString;
    #[wasm_bindgen(method, getter)]
    fn hash(this: &Url) -> JsString;
}

/// Reads the caller's base URL. A relative one is resolved against the page's own.
///
/// # Errors
///
/// A `TypeError` that says what is wrong with it.
pub(super) fn given(value: &JsValue) -> Result<JsString, JsValue> {
    let href = if value.is_object() { &Reflect::get(value, &"href".into())? } else { value };
    let text = href.dyn_ref::<JsString>().ok_or_else(|| type_error("baseUrl", "a string or a URL", value))?;
    let parsed = match page() {
        Some(page) => Url::relative_to(text, &page),
        None => Url::new(text),
    };
    let url = parsed.map_err(|_| error(text, "is not a valid URL"))?;
    let flaw = flaw(&url);
    flaw.map_or_else(|| Ok(directory(&url)), |flaw| Err(error(text, flaw)))
}

/// Returns the page's own base URL.
///
/// # Errors
///
/// A `TypeError` where there is no page.
pub(super) fn of_page() -> Result<JsString, JsValue> {
    let base = page().and_then(|page| Url::relative_to(&".".into(), &page).ok()).filter(is_http);
    base.as_ref().map(directory).ok_or_else(|| {
        TypeError::new("baseUrl must be given: this environment has no page whose base URL could be used").into()
    })
}

/// Returns the origin of a base URL.
pub(super) fn origin(base: &JsString) -> Result<JsString, JsValue> {
    Url::new(base).map(|url| url.origin())
}

/// Whether the host is a page or a worker of one.
pub(super) fn has_page() -> bool {
    page().is_some()
}

fn page() -> Option<JsString> {
    let member = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok();
    let text = |of: &JsValue, name: &str| member(of, name)?.dyn_into().ok();
    let global = js_sys::global();
    let of_document = member(&global, "document").and_then(|document| text(&document, "baseURI"));
    of_document.or_else(|| text(&member(&global, "location")?, "href"))
}

fn flaw(url: &Url) -> Option<&'static str> {
    let has = |part: JsString| part.length() > 0;
    match () {
        () if !is_http(url) => Some("is not an http or https URL"),
        () if has(url.username()) || has(url.password()) => {
            Some("has credentials in it; give them by the headers option")
        }
        () if has(url.search()) => Some("has a query, which no operation of the service takes"),
        () if has(url.hash()) => Some("has a fragment, which is never sent"),
        () => None,
    }
}

fn is_http(url: &Url) -> bool {
    let protocol = url.protocol();
    protocol == "http:" || protocol == "https:"
}

fn directory(url: &Url) -> JsString {
    let path = url.pathname();
    let slash = if path.ends_with("/", path.length() as i32) { "" } else { "/" };
    url.origin().concat(&path).concat(&slash.into())
}

/// Makes the error for a URL. It quotes only a URL in which no part can be secret.
fn error(text: &JsString, flaw: &str) -> JsValue {
    let secret = ["@", "?", "#"].into_iter().any(|mark| text.includes(mark, 0));
    let named = if secret { String::from("baseUrl") } else { format!("baseUrl \"{}\"", excerpt(text)) };
    TypeError::new(&format!("{named} {flaw}")).into()
}
