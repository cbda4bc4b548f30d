//! The headers of requests: fixed, or returned by a function whose refreshes calls share.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use js_sys::{Function, JsString, Promise};
use serde::Serialize;
use serde_wasm_bindgen::preserve;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::serialize::to_js;
use crate::scheduling::credential_refresh::CredentialRefresh;

/// The headers of requests, which JavaScript has copied and checked.
#[derive(Clone, Debug)]
pub(super) enum HeadersSource {
    /// The same for each attempt.
    Fixed(web_sys::Headers),
    /// A function that resolves with the headers of an attempt.
    Function(Function),
}

/// The refreshes of the headers of one function for one base URL.
pub(super) type SharedRefresh = CredentialRefresh<web_sys::Headers, JsValue>;

/// The refreshes that the calls of a client share. Refreshed headers are never sent to another base URL.
#[derive(Default)]
pub(super) struct Refreshes(RefCell<Vec<KnownRefresh>>);

struct KnownRefresh {
    function: Function,
    base_url: JsString,
    refresh: Weak<SharedRefresh>,
}

/// The argument of a `headers` function.
#[derive(Serialize)]
struct HeadersContext {
    attempt: u32,
    #[serde(with = "preserve")]
    status: JsValue,
    #[serde(with = "preserve")]
    url: JsString,
}

impl From<JsValue> for HeadersSource {
    fn from(option: JsValue) -> Self {
        match option.dyn_into() {
            Ok(function) => HeadersSource::Function(function),
            Err(headers) => HeadersSource::Fixed(headers.unchecked_into()),
        }
    }
}

impl HeadersSource {
    /// Whether another call may return other headers.
    pub(super) fn is_function(&self) -> bool {
        matches!(self, HeadersSource::Function(_))
    }

    /// Returns the headers of an attempt, given its URL, its number and the status of the previous attempt.
    pub(super) fn ask(
        &self,
        url: JsString,
        attempt: u32,
        status: Option<u16>,
    ) -> impl Future<Output = Result<web_sys::Headers, JsValue>> + 'static {
        let source = self.clone();
        async move {
            match source {
                HeadersSource::Fixed(headers) => Ok(headers),
                HeadersSource::Function(function) => {
                    let context = to_js(&HeadersContext { attempt, status: status.into(), url })?;
                    let headers: Promise = function.call1(&JsValue::UNDEFINED, &context)?.unchecked_into();
                    JsFuture::from(headers).await.map(JsCast::unchecked_into)
                }
            }
        }
    }
}

impl Refreshes {
    /// Returns the refresh of a function for a base URL, which all calls in flight share.
    pub(super) fn of(&self, source: &HeadersSource, base_url: &JsString) -> Rc<SharedRefresh> {
        let HeadersSource::Function(function) = source else { return Rc::default() };
        // Taken, not borrowed, because JavaScript compares strings.
        let mut all = self.0.take();
        all.retain(|known| known.refresh.strong_count() > 0);
        let known = all.iter().find(|known| known.function == *function && known.base_url == *base_url);
        let refresh = known.and_then(|known| known.refresh.upgrade()).unwrap_or_else(|| {
            let refresh = Rc::default();
            let (function, base_url) = (function.clone(), base_url.clone());
            all.push(KnownRefresh { function, base_url, refresh: Rc::downgrade(&refresh) });
            refresh
        });
        self.0.replace(all);
        refresh
    }
}
