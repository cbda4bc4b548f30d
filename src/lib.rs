//! All the findings of an inspection, complete and in order, or a clear error.
