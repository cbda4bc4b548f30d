//! The way of an attempt: who sends it, who decodes its body, and how the body is read.

use crate::error::ErrorKind;

/// How a request is attempted. Each failure that concerns the way leads to one that avoids it, and none leads back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Way {
    /// A worker may send the request and decode the body, and the host may keep the body.
    Any,
    /// The page sends, because a worker got no response.
    PageSends,
    /// The page sends and decodes, because a worker has lost a body.
    PageOnly,
    /// The page sends and reads the body piece by piece, because a body has broken off.
    Pieces,
    /// The page sends, reads the body piece by piece, and decodes it.
    PageOnlyPieces,
}

/// What failed in an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Failure {
    /// A worker got no response.
    InWorker,
    /// A worker has ended with the body.
    WorkerLost,
    /// The body has broken off.
    Broken,
    /// Something that another way would not avoid.
    Other,
}

impl Failure {
    /// What failed, according to the error of a request.
    pub(super) fn of(kind: &ErrorKind) -> Self {
        match kind {
            ErrorKind::WorkerLost => Failure::WorkerLost,
            ErrorKind::Broken => Failure::Broken,
            _ => Failure::Other,
        }
    }
}

impl Way {
    /// The way of the next attempt after a failure.
    pub(super) fn after(self, failure: Failure) -> Self {
        match (failure, self) {
            (Failure::Other, way) => way,
            (Failure::InWorker, Way::Any) => Way::PageSends,
            // A worker sends only the first of all ways.
            (Failure::InWorker, way) => way,
            (Failure::WorkerLost, Way::Any | Way::PageSends | Way::PageOnly) => Way::PageOnly,
            (Failure::WorkerLost, Way::Pieces | Way::PageOnlyPieces) => Way::PageOnlyPieces,
            (Failure::Broken, Way::Any | Way::PageSends | Way::Pieces) => Way::Pieces,
            (Failure::Broken, Way::PageOnly | Way::PageOnlyPieces) => Way::PageOnlyPieces,
        }
    }

    /// Whether the host may keep the body of a partition.
    pub(super) fn may_be_blob(self) -> bool {
        match self {
            Way::Any | Way::PageSends | Way::PageOnly => true,
            Way::Pieces | Way::PageOnlyPieces => false,
        }
    }

    /// Whether a worker may decode the body.
    pub(super) fn may_delegate(self) -> bool {
        match self {
            Way::Any | Way::PageSends | Way::Pieces => true,
            Way::PageOnly | Way::PageOnlyPieces => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAYS: [Way; 5] = [Way::Any, Way::PageSends, Way::PageOnly, Way::Pieces, Way::PageOnlyPieces];
    const FAILURES: [Failure; 4] = [Failure::InWorker, Failure::WorkerLost, Failure::Broken, Failure::Other];

    #[test]
    fn leads_away_from_what_has_failed_and_never_back() {
        for way in WAYS {
            assert!(!way.after(Failure::WorkerLost).may_delegate());
            assert!(!way.after(Failure::Broken).may_be_blob());
            assert!(way.after(Failure::InWorker) != Way::Any);
            assert_eq!(way.after(Failure::Other), way);
            for failure in FAILURES {
                let next = way.after(failure);
                assert!(next != Way::Any || failure == Failure::Other, "{way:?} {failure:?}");
                assert!(!next.may_delegate() || way.may_delegate(), "{way:?} {failure:?}");
                assert!(!next.may_be_blob() || way.may_be_blob(), "{way:?} {failure:?}");
                assert_eq!(next.after(failure), next, "{way:?} {failure:?}");
            }
        }
    }

    #[test]
    fn remembers_what_has_failed_in_any_order() {
        for first in FAILURES {
            for second in FAILURES {
                let (one, other) = (Way::Any.after(first).after(second), Way::Any.after(second).after(first));
                assert_eq!((one.may_delegate(), one.may_be_blob()), (other.may_delegate(), other.may_be_blob()));
            }
        }
    }
}
