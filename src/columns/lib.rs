//! Decodes the findings of a call into columns and answers queries about them.
//! Every finding goes through this code, so it is optimized for speed, and the rest for size. It is a separate crate because cargo sets the
//! optimization per crate.
//!
//! ```
//! use std::rc::Rc;
//!
//! use inspection_findings_columns::decode::Decoder;
//! use inspection_findings_columns::dictionary::Dictionary;
//! use inspection_findings_columns::hash_seed::HashSeed;
//! use inspection_findings_columns::host_json::HostJson;
//! use inspection_findings_columns::table::{Catalog, Condition, Table};
//!
//! let body = br#"{"Findings":[{"Sentiment":1},{"Sentiment":-2}]}"#.to_vec();
//! let mut decoder = Decoder::new(body, Dictionary::default());
//! while !decoder.advance(64 * 1024)? {}
//! let catalog = Catalog::new(HostJson::RUST.canonical, HashSeed::new(0.5), None);
//! let table = Table::new(catalog, vec![Rc::new(decoder.finish().findings?)])?;
//!
//! let negative = Condition::Between { min: f64::NEG_INFINITY, max: -1.0 };
//! let negative = table.filter(1, &[(0, "Sentiment", negative)]).unwrap();
//! assert_eq!(negative.json(0).as_deref(), Some(r#"{"Sentiment":-2.0}"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bytes;
pub mod cell;
pub mod chunk;
#[cfg(test)]
mod collisions;
mod column;
pub mod dictionary;
mod hash_index;
pub mod hash_seed;
pub mod host_json;
pub mod json;
pub mod memory;
pub mod number_interner;
mod packing;
pub mod row_buffer;
pub mod row_parcel;
pub mod saved;
pub mod shapes;
pub mod string_batch;
pub mod string_copy;
mod string_interner;
pub mod strings;
#[cfg(test)]
mod testing;
pub mod value;
mod work;

pub mod decode;
pub mod table;
