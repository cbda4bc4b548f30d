//! The caller's headers: fixed ones, or a function that is asked before every attempt.

use std::future::Future;
use std::rc::Rc;

use js_sys::{Function, Reflect, TypeError};
use wasm_bindgen::prelude::*;

use super::arguments::type_error;
use super::object::object;
use crate::renewal::Renewal;
use crate::text::excerpt;
use crate::transport::fetch::{ready_headers, settled};

/// Where headers come from, with the renewals of everybody who uses it.
pub struct HeadersSource {
    /// The renewals that all its users share.
    pub renewal: Rc<Renewal<web_sys::Headers, JsValue>>,
    origin: Origin,
}

#[derive(Clone, Debug)]
enum Origin {
    Fixed(web_sys::Headers),
    Function(Function),
}

impl HeadersSource {
    /// The source for the `headers` option; undefined means none but the package's own.
    pub fn new(option: &JsValue) -> Result<Self, JsValue> {
        let origin = match option.dyn_ref::<Function>() {
            Some(function) => Origin::Function(function.clone()),
            None if option.is_object() || option.is_undefined() => Origin::Fixed(ready(option)?),
            None => return Err(type_error("headers", "headers or a function that gives them", option)),
        };
        Ok(HeadersSource { renewal: Rc::default(), origin })
    }

    /// Whether asking again may give other headers.
    pub fn is_function(&self) -> bool {
        matches!(self.origin, Origin::Function(_))
    }

    /// The headers of an attempt, given its number and the status of the one before.
    pub fn ask(
        &self,
        attempt: u32,
        status: Option<u16>,
    ) -> impl Future<Output = Result<web_sys::Headers, JsValue>> + 'static {
        let origin = self.origin.clone();
        async move {
            match origin {
                Origin::Fixed(headers) => Ok(headers),
                Origin::Function(function) => {
                    let circumstances = object(&[("attempt", attempt.into()), ("status", status.into())])?;
                    let given = function.call1(&JsValue::UNDEFINED, &circumstances)?;
                    ready(&settled(&given).await?)
                }
            }
        }
    }
}

fn ready(init: &JsValue) -> Result<web_sys::Headers, JsValue> {
    ready_headers(init).map_err(|error| {
        let message = Reflect::get(&error, &"message".into()).ok().and_then(|message| message.dyn_into().ok());
        let message = message.as_ref().map(excerpt).unwrap_or_default();
        let wrapped = TypeError::new(&format!("headers are not valid: {message}"));
        Reflect::set(&wrapped, &"cause".into(), &error).map_or_else(|thrown| thrown, |_| wrapped.into())
    })
}
