//! Decodes the findings of a call into columns and answers queries about them.
//! Every finding goes through this code, so it is optimized for speed, and the rest for size. It is a separate crate because cargo sets the
//! optimization per crate.
//!
//! ```
//! use std::rc::Rc;
//!
//! use inspection_findings_columns::decode::Decoder;
//! use inspection_findings_columns::dictionary::Dictionary;
//! use inspection_findings_columns::hash::HashSeed;
//! use inspection_findings_columns::memory::try_to_owned;
//! use inspection_findings_columns::table::{Catalog, Condition, Table};
//!
//! let body = br#"{"Findings":[{"Sentiment":1},{"Sentiment":-2}]}"#.to_vec();
//! let seed = HashSeed::new(0.5);
//! let dictionary = Dictionary::new(Some(|json| json.parse().unwrap_or(f64::NAN)), seed.clone());
//! let mut decoder = Decoder::new(body, dictionary);
//! while !decoder.advance(64 * 1024)? {}
//! let catalog = Catalog::new(try_to_owned, seed, None);
//! let table = Table::new(catalog, vec![Rc::new(decoder.finish().findings?)])?;
//!
//! let negative = Condition::Between { min: f64::NEG_INFINITY, max: -1.0 };
//! let negative = table.filter(1, &[(0, "Sentiment", negative)]).unwrap();
//! assert_eq!(negative.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// What only tables use.
#![cfg_attr(not(feature = "tables"), allow(unused))]

mod border;
mod bytes;
#[cfg(feature = "tables")]
mod checksum;
pub mod chunk;
#[cfg(test)]
mod collisions;
pub mod decode;
pub mod hash;
mod invariant;
pub mod memory;
mod packing;
#[cfg(feature = "tables")]
pub mod table;
#[cfg(test)]
mod testing;
mod value;
mod work;

#[cfg(any(test, feature = "testing"))]
pub use self::border::json;
#[cfg(feature = "tables")]
pub use self::border::string_copy;
pub use self::border::{packed_rows, row_buffer, string_pieces};
pub use self::value::{Value, cell, dictionary, host_json, number_interner, shapes, strings};
