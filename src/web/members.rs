//! The members of an object of JavaScript that are numbers, booleans or words, in one crossing.

use wasm_bindgen::prelude::*;

use crate::host_functions::write_numbers;

/// Declares a struct, and for each field the member that it is read from: its name for a number or boolean, `name=word` for whether the
/// member is that word.
macro_rules! members {
    ($(#[$about:meta])* struct $Members:ident { $first:ident: $first_member:literal, $($field:ident: $member:literal,)* }) => {
        $(#[$about])*
        pub(super) struct $Members {
            pub(super) $first: f64,
            $(pub(super) $field: f64,)*
        }

        impl $Members {
            /// Reads the members.
            pub(super) fn of(object: &::wasm_bindgen::JsValue) -> Self {
                let [$first, $($field),*] = $crate::members::numbers_of(object, concat!($first_member $(, " ", $member)*));
                Self { $first, $($field),* }
            }
        }
    };
}

pub(crate) use members;

/// Reads members of an object in the order of their names, between which are spaces.
pub(crate) fn numbers_of<const COUNT: usize>(object: &JsValue, names: &str) -> [f64; COUNT] {
    let mut numbers = [f64::NAN; COUNT];
    write_numbers(object, names, &mut numbers);
    numbers
}

/// Returns whether a member is true, or the word.
pub(crate) fn is(member: f64) -> bool {
    member == 1.0
}
