//! The page, as the state machine of the calls knows it.

use std::rc::Rc;

use wasm_bindgen::prelude::*;

use super::attempt::Attempt;
use super::page_call::PageCall;
use call::machine::Host;

/// What the machine holds of a page.
pub(super) struct Page;

impl Host for Page {
    type Value = JsValue;
    type Call = Rc<PageCall>;
    type Attempt = Rc<Attempt>;
}
