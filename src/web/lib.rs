//! Downloads all findings of one inspection from the Ascribe CX Inspector API, complete and in order: what JavaScript calls. Options and
//! arguments in, promises of findings and errors out.

// It exists on WebAssembly only.
#![cfg(all(target_arch = "wasm32", target_os = "unknown"))]
// What only tables use.
#![cfg_attr(not(feature = "tables"), allow(unused))]

#[cfg(feature = "tables")]
pub mod arrow;
pub mod client;
#[cfg(feature = "tables")]
pub mod columns;
#[cfg(feature = "tables")]
pub mod live;
#[cfg(feature = "tables")]
pub mod made;
pub mod resume;
pub mod stream;
#[cfg(feature = "tables")]
pub mod table_calls;
#[cfg(feature = "tables")]
pub mod tables;
pub mod worker;

mod abort;
mod call;
mod error;
mod event;
mod fetch;
mod findings_error;
mod headers;
mod host;
mod host_functions;
mod js_bytes;
mod js_string;
mod mapping;
#[cfg(feature = "tables")]
mod query;
mod redaction;
mod rows;
#[cfg(feature = "tables")]
mod saved;
mod serialize;
mod settings;
mod workers;
mod yield_now;

use wasm_bindgen::prelude::*;

/// The TypeScript types that the exported items state.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
import type { Progress } from "./client/progress.js";
import type { Settings } from "./client/options/settings.js";
import type { Delivered } from "./client/stream.js";
import type { Groups } from "./engine/engine.js";
import type { NumberedCondition } from "./table/queries/condition.js";
import type { PartitionCounts } from "./table/counts.js";
import type { FindingKind, InspectionKey } from "./table/finding.js";
import type { Finding } from "./table/rows/row-layout.js";
import type { FindingsTable } from "./table/table.js";
"#;
