//! The form in which an attempt gives a body.

use serde::{Deserialize, Serialize};

/// The form in which a body is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Form {
    /// As its bytes.
    Bytes,
    /// In columns whose dictionary has only this partition.
    Alone,
    /// In columns whose dictionary the partitions of the call share.
    Shared,
}
