//! The way of an attempt: who sends it, and who decodes its body.

use crate::error::ErrorKind;

/// How a request is attempted. Each failure that concerns the way leads to one that avoids it, and none leads back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    /// A worker may send the request and decode the body.
    Any,
    /// The page sends, because a worker got no response.
    PageSends,
    /// The page sends and decodes, because a worker has lost a body.
    PageOnly,
}

/// What failed in an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Failure {
    /// A worker got no response.
    InWorker,
    /// A worker has ended with the body.
    WorkerLost,
    /// Something that another way would not avoid.
    Other,
}

impl Failure {
    /// What failed, according to the error of a request.
    pub(crate) fn of(kind: &ErrorKind) -> Self {
        match kind {
            ErrorKind::WorkerLost => Failure::WorkerLost,
            _ => Failure::Other,
        }
    }
}

impl Way {
    /// The way of the next attempt after a failure.
    pub(crate) fn after(self, failure: Failure) -> Self {
        match (failure, self) {
            (Failure::Other, way) => way,
            (Failure::InWorker, Way::Any | Way::PageSends) => Way::PageSends,
            (Failure::InWorker | Failure::WorkerLost, Way::PageOnly)
            | (Failure::WorkerLost, Way::Any | Way::PageSends) => Way::PageOnly,
        }
    }

    /// Whether a worker may decode the body.
    pub(crate) fn may_delegate(self) -> bool {
        match self {
            Way::Any | Way::PageSends => true,
            Way::PageOnly => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAYS: [Way; 3] = [Way::Any, Way::PageSends, Way::PageOnly];
    const FAILURES: [Failure; 3] = [Failure::InWorker, Failure::WorkerLost, Failure::Other];

    #[test]
    fn leads_away_from_what_has_failed_and_never_back() {
        for way in WAYS {
            assert!(!way.after(Failure::WorkerLost).may_delegate());
            assert!(way.after(Failure::InWorker) != Way::Any);
            assert_eq!(way.after(Failure::Other), way);
            for failure in FAILURES {
                let next = way.after(failure);
                assert!(next != Way::Any || failure == Failure::Other, "{way:?} {failure:?}");
                assert!(!next.may_delegate() || way.may_delegate(), "{way:?} {failure:?}");
                assert_eq!(next.after(failure), next, "{way:?} {failure:?}");
            }
        }
    }

    #[test]
    fn remembers_what_has_failed_in_any_order() {
        for first in FAILURES {
            for second in FAILURES {
                assert_eq!(Way::Any.after(first).after(second), Way::Any.after(second).after(first));
            }
        }
    }
}
