//! The caller's headers: fixed ones, or a function that is called before every attempt.

use std::cell::RefCell;
use std::future::Future;
use std::rc::{Rc, Weak};

use js_sys::{Array, Function, JsString, Object, Reflect, Symbol, TypeError};
use serde::Serialize;
use serde_wasm_bindgen::preserve;
use wasm_bindgen::prelude::*;

use super::arguments::secret_type_error;
use super::base_url;
use super::serialize::to_js;
use crate::js_string::word;
use crate::scheduling::credential_refresh::CredentialRefresh;
use crate::transport::fetch::settled;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_name = String)]
    fn string_of(value: &JsValue) -> Result<JsString, JsValue>;

    // Stay JavaScript strings, because they may be long.
    type AppendedHeaders;
    #[wasm_bindgen(method, catch)]
    fn append(this: &AppendedHeaders, name: &JsString, value: &JsString) -> Result<(), JsValue>;
}

/// The source of headers, with the refreshes that calls share.
pub(super) struct HeadersSource {
    giver: Giver,
    /// The refreshes that calls in flight share, each with its origin.
    refreshes: RefCell<Vec<(JsString, Weak<SharedRefresh>)>>,
}

/// The refreshes of the headers for one origin.
pub(super) type SharedRefresh = CredentialRefresh<web_sys::Headers, JsValue>;

#[derive(Clone, Debug)]
enum Giver {
    Fixed(web_sys::Headers),
    Function(Function),
}

/// The argument of a `headers` function.
#[derive(Serialize)]
struct Circumstances {
    attempt: u32,
    #[serde(with = "preserve")]
    status: JsValue,
    #[serde(with = "preserve")]
    url: JsString,
}

impl HeadersSource {
    /// The source for the `headers` option. Undefined means no headers but the package's own.
    pub(super) fn new(option: &JsValue) -> Result<Self, JsValue> {
        let giver = match option.dyn_ref::<Function>() {
            Some(function) => Giver::Function(function.clone()),
            None if option.is_object() || option.is_undefined() => Giver::Fixed(ready(option)?),
            None => return Err(secret_type_error("headers", "headers or a function that gives them", option)),
        };
        Ok(HeadersSource { giver, refreshes: RefCell::default() })
    }

    /// Returns the refresh that all calls to the origin of a base URL share. Refreshed headers are never sent to another origin.
    pub(super) fn refresh(&self, base: &JsString) -> Result<Rc<SharedRefresh>, JsValue> {
        if !self.is_function() {
            return Ok(Rc::default());
        }
        let origin = base_url::origin(base)?;
        // Taken, not borrowed, because JavaScript compares strings.
        let mut refreshes = self.refreshes.take();
        refreshes.retain(|(_, refresh)| refresh.strong_count() > 0);
        let known = refreshes.iter().find(|(of, _)| *of == origin).and_then(|(_, refresh)| refresh.upgrade());
        let refresh = known.unwrap_or_else(|| {
            let refresh = Rc::default();
            refreshes.push((origin, Rc::downgrade(&refresh)));
            refresh
        });
        self.refreshes.replace(refreshes);
        Ok(refresh)
    }

    /// Whether another call may return other headers.
    pub(super) fn is_function(&self) -> bool {
        matches!(self.giver, Giver::Function(_))
    }

    /// Returns the headers of an attempt, given its URL, its number and the status of the attempt before.
    pub(super) fn ask(
        &self,
        url: JsString,
        attempt: u32,
        status: Option<u16>,
    ) -> impl Future<Output = Result<web_sys::Headers, JsValue>> + 'static {
        let giver = self.giver.clone();
        async move {
            match giver {
                Giver::Fixed(headers) => Ok(headers),
                Giver::Function(function) => {
                    let circumstances = to_js(&Circumstances { attempt, status: status.into(), url })?;
                    let given = function.call1(&JsValue::UNDEFINED, &circumstances)?;
                    ready(&settled(&given).await?)
                }
            }
        }
    }
}

/// Copies the caller's headers, and adds `accept`.
///
/// The host does not read them, because its errors quote a value that it refuses, which may be a token. So what is thrown here is the
/// caller's own.
fn ready(init: &JsValue) -> Result<web_sys::Headers, JsValue> {
    let headers = web_sys::Headers::new()?;
    for_each_entry(init, &mut |entry| append(&headers, entry))?;
    if !headers.has("accept")? {
        headers.set("accept", "application/json")?;
    }
    Ok(headers)
}

/// A header as the caller gave it.
struct Entry<'given> {
    /// Its position, from 1.
    number: usize,
    name: &'given JsValue,
    value: &'given JsValue,
}

/// Calls `take` with each entry of a `HeadersInit`, as WebIDL reads it.
fn for_each_entry(init: &JsValue, take: &mut dyn FnMut(Entry<'_>) -> Result<(), JsValue>) -> Result<(), JsValue> {
    if init.is_undefined() {
        return Ok(());
    }
    if !init.is_object() {
        return Err(secret_type_error("headers", "an object, a list of pairs or Headers", init));
    }
    let mut number = 0;
    let is_list = for_each_item(init, &mut |pair| {
        number += 1;
        let mut items = Vec::new();
        let is_pair = pair.is_object()
            && for_each_item(&pair, &mut |item| {
                items.push(item);
                Ok(items.len() < 3)
            })?;
        match items.as_slice() {
            [name, value] if is_pair => take(Entry { number, name, value }).map(|()| true),
            _ => Err(invalid(&format!("entry {number} is not a pair of a name and a value"))),
        }
    })?;
    if is_list { Ok(()) } else { for_each_member(init, take) }
}

/// Calls `take` with each item of an iterable until it returns false. Returns whether the value is iterable.
fn for_each_item(list: &JsValue, take: &mut dyn FnMut(JsValue) -> Result<bool, JsValue>) -> Result<bool, JsValue> {
    let iterate = Reflect::get(list, &Symbol::iterator())?;
    if iterate.is_undefined() || iterate.is_null() {
        return Ok(false);
    }
    let no_iterator = || invalid("they cannot be looped over");
    let iterator = iterate.dyn_ref::<Function>().ok_or_else(no_iterator)?.call0(list)?;
    let member = |of: &JsValue, name: &str| {
        if of.is_object() { Reflect::get(of, &name.into()) } else { Err(no_iterator()) }
    };
    let next: Function = member(&iterator, "next")?.dyn_into().map_err(|_| no_iterator())?;
    loop {
        let result = next.call0(&iterator)?;
        if member(&result, "done")?.is_truthy() || !take(member(&result, "value")?)? {
            return Ok(true);
        }
    }
}

fn for_each_member(object: &JsValue, take: &mut dyn FnMut(Entry<'_>) -> Result<(), JsValue>) -> Result<(), JsValue> {
    let names: Array = Reflect::own_keys(object)?;
    for (name, number) in names.iter().zip(1..) {
        let property = Reflect::get_own_property_descriptor(object.unchecked_ref::<Object>(), &name)?;
        if !property.is_undefined() && Reflect::get(&property, &"enumerable".into())?.is_truthy() {
            take(Entry { number, name: &name, value: &Reflect::get(object, &name)? })?;
        }
    }
    Ok(())
}

fn append(headers: &web_sys::Headers, Entry { number, name, value }: Entry<'_>) -> Result<(), JsValue> {
    let name = if name.is_symbol() { JsString::default() } else { string_of(name)? };
    let known = word(&name).filter(|name| is_token(name));
    let flaw = || match &known {
        Some(name) => {
            format!("the value of \"{name}\" has a line break, a NUL or a character beyond U+00FF, or is a symbol")
        }
        // Not quoted: it may be a value in the wrong place.
        None => format!("the name of entry {number} is not a valid header name"),
    };
    if value.is_symbol() {
        return Err(invalid(&flaw()));
    }
    let value = string_of(value)?;
    headers.unchecked_ref::<AppendedHeaders>().append(&name, &value).map_err(|_| invalid(&flaw()))
}

/// Whether a name is a token (RFC 9110, section 5.6.2).
fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn invalid(flaw: &str) -> JsValue {
    TypeError::new(&format!("headers are not valid: {flaw}")).into()
}
