//! What JavaScript calls: options and arguments in, promises of findings and errors out.

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
mod findings_error;
mod headers;
mod host;
mod mapping;
mod options;
#[cfg(feature = "tables")]
mod query;
mod redaction;
mod rows;
#[cfg(feature = "tables")]
mod saved;
mod serialize;
mod workers;
mod yield_now;

use wasm_bindgen::prelude::*;

/// The TypeScript types that the exported items state.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
import type { Progress } from "./client/progress.js";
import type { Delivered } from "./client/stream.js";
import type { Groups, Settings } from "./engine/engine.js";
import type { NumberedCondition } from "./table/condition.js";
import type { PartitionCounts } from "./table/counts.js";
import type { FindingKind, InspectionKey } from "./table/finding.js";
import type { Finding } from "./table/row-layout.js";
import type { FindingsTable } from "./table/table.js";
"#;
