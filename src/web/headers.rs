//! The headers of requests: fixed, or returned by a function whose refreshes calls share.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use js_sys::{Function, Promise};
use serde::Serialize;
use serde_wasm_bindgen::preserve;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::serialize::to_js;
use call::scheduling::credential_refresh::CredentialRefresh;

/// The headers of requests, which JavaScript has copied and checked.
#[derive(Clone)]
pub(super) enum HeadersSource {
    /// The same for each attempt.
    Fixed(web_sys::Headers),
    /// A function that resolves with the headers of an attempt.
    Function(Rc<HeadersFunction>),
}

/// The refreshes of the headers of one function for one base URL.
pub(super) type SharedRefresh = CredentialRefresh<web_sys::Headers, JsValue>;

/// The functions whose refreshes the calls of a client share. Only calls in flight keep them alive: a function may reach its client, which
/// would never be collected. Refreshed headers are never sent to another base URL.
#[derive(Default)]
pub(super) struct Refreshes(RefCell<Vec<Weak<HeadersFunction>>>);

/// A function, and its refresh for one base URL.
pub(super) struct HeadersFunction {
    function: Function,
    base_url: Rc<str>,
    refresh: Rc<SharedRefresh>,
}

/// The argument of a `headers` function.
#[derive(Serialize)]
struct HeadersContext {
    attempt: u32,
    #[serde(with = "preserve")]
    status: JsValue,
    url: String,
}

impl HeadersSource {
    /// Whether another call may return other headers.
    pub(super) fn is_function(&self) -> bool {
        matches!(self, HeadersSource::Function(_))
    }

    /// The refresh of the headers; one without effect if they are fixed.
    pub(super) fn refresh(&self) -> Rc<SharedRefresh> {
        match self {
            HeadersSource::Fixed(_) => Rc::default(),
            HeadersSource::Function(source) => Rc::clone(&source.refresh),
        }
    }

    /// Returns the headers of an attempt, given its URL, its number and the status of the previous attempt. Of a function, those that it
    /// was `asked` for, or it is called.
    pub(super) fn ask(
        &self,
        url: String,
        attempt: u32,
        status: Option<u16>,
        asked: Option<Promise>,
    ) -> impl Future<Output = Result<web_sys::Headers, JsValue>> + 'static {
        let source = self.clone();
        async move {
            match source {
                HeadersSource::Fixed(headers) => Ok(headers),
                HeadersSource::Function(source) => {
                    let headers = match asked {
                        Some(headers) => headers,
                        None => {
                            let context = to_js(&HeadersContext { attempt, status: status.into(), url })?;
                            source.function.call1(&JsValue::UNDEFINED, &context)?.unchecked_into()
                        }
                    };
                    JsFuture::from(headers).await.map(JsCast::unchecked_into)
                }
            }
        }
    }
}

impl Refreshes {
    /// Reads the option `headers`. Calls in flight with the same function and base URL share its refresh.
    pub(super) fn source(&self, option: JsValue, base_url: &Rc<str>) -> HeadersSource {
        let function = match option.dyn_into::<Function>() {
            Ok(function) => function,
            Err(headers) => return HeadersSource::Fixed(headers.unchecked_into()),
        };
        // Taken, not borrowed, because JavaScript compares functions.
        let mut all = self.0.take();
        all.retain(|source| source.strong_count() > 0);
        let known = all
            .iter()
            .filter_map(Weak::upgrade)
            .find(|source| source.function == function && source.base_url == *base_url);
        let source = known.unwrap_or_else(|| {
            let source = HeadersFunction { function, base_url: Rc::clone(base_url), refresh: Rc::default() };
            let source = Rc::new(source);
            all.push(Rc::downgrade(&source));
            source
        });
        self.0.replace(all);
        HeadersSource::Function(source)
    }
}
