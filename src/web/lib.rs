//! Downloads all findings of one inspection from the Ascribe CX Inspector API, complete and in order: what JavaScript calls. Options and
//! arguments in, promises of findings and errors out.

// It exists on WebAssembly only.
#![cfg(all(target_arch = "wasm32", target_os = "unknown"))]

#[cfg(feature = "tables")]
pub mod arrow;
pub mod client;
#[cfg(feature = "tables")]
pub mod columns;
#[cfg(feature = "tables")]
pub mod earlier_table;
#[cfg(feature = "tables")]
pub mod live;
#[cfg(feature = "tables")]
pub mod made;
pub mod numbers;
pub mod resume;
#[cfg(feature = "tables")]
pub mod table_calls;
pub mod worker;

mod attempt;
mod calls;
#[cfg(feature = "tables")]
mod chunk_calls;
mod decoding;
mod error;
mod findings_error;
#[cfg(feature = "tables")]
mod gathered;
mod head;
mod host_functions;
mod js_bytes;
mod js_string;
mod mapping;
mod members;
mod page;
mod page_call;
mod performer;
#[cfg(feature = "tables")]
mod query;
mod redaction;
#[cfg(feature = "tables")]
mod saved;
mod serialize;
mod settings;
#[cfg(feature = "tables")]
mod tables;
#[cfg(feature = "tables")]
mod watch;

use wasm_bindgen::prelude::*;

/// The TypeScript types that the exported items state.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
import type { Settings } from "./core/client/options/settings.js";
import type { Delivered, PartitionSource } from "./core/engine/partition-source.js";
import type { Groups } from "./core/engine/engine.js";
import type { Performer } from "./core/engine/performer.js";
import type { LiveProgress } from "./core/live/live-table-types.js";
import type { NumberedCondition } from "./core/table/queries/condition.js";
import type { PartitionCounts } from "./core/table/counts.js";
import type { FindingKind, InspectionKey } from "./core/table/finding.js";
import type { Finding } from "./core/table/rows/row-layout.js";
import type { FindingsTable } from "./core/table/table.js";
import type { Head } from "./core/worker/exchange.js";
"#;
