//! The contract of the service: its paths, and the kinds of findings.

use std::fmt;

use chunk::fields::{SENTIMENT_COUNTS, TOPIC_COUNTS};
use serde::Serialize;

/// `Number.MAX_SAFE_INTEGER`, 2^53 − 1: the greatest integer that JavaScript and the service both represent exactly.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// The two kinds of findings.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Findings of the sentiment analysis.
    Sentiment,
    /// Findings of the topic analysis.
    Topics,
}

impl Kind {
    /// Both kinds.
    pub const ALL: [Kind; 2] = [Kind::Sentiment, Kind::Topics];

    /// The public name of the kind.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Sentiment => "sentiment",
            Kind::Topics => "topics",
        }
    }

    /// The segment of its paths.
    const fn segment(self) -> &'static str {
        match self {
            Kind::Sentiment => "Sentiment",
            Kind::Topics => "Topics",
        }
    }

    /// The field of the counts response with the number of partitions.
    pub const fn partitions_field(self) -> &'static str {
        self.counts()[0]
    }

    /// The field of the counts response with the number of findings.
    pub const fn findings_field(self) -> &'static str {
        self.counts()[1]
    }

    const fn counts(self) -> [&'static str; 2] {
        match self {
            Kind::Sentiment => SENTIMENT_COUNTS,
            Kind::Topics => TOPIC_COUNTS,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The counts of one kind of findings.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
pub struct KindCounts {
    /// The number of partitions, whose indexes are `0..partitions`.
    pub partitions: u64,
    /// The number of findings in all partitions, if the service reports it.
    pub findings: Option<u64>,
}

impl fmt::Display for KindCounts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} partitions", self.partitions)?;
        self.findings.map_or(Ok(()), |findings| write!(formatter, " with {findings} findings"))
    }
}

/// An operation of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Get the counts of an inspection.
    Counts,
    /// Get the findings of one partition.
    Partition {
        /// The kind of the findings.
        kind: Kind,
        /// The index of the partition.
        index: u64,
    },
}

impl Operation {
    /// The path of the operation, relative to the base URL.
    pub fn path(self, inspection: i64) -> String {
        // `format!` would make a page's first call compile the formatting code.
        let counts = ["Findings/", &inspection.to_string()].concat();
        match self {
            Operation::Counts => counts,
            Operation::Partition { kind, index } => [&counts, "/", kind.segment(), "/", &index.to_string()].concat(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_the_paths_of_the_service() {
        let partition = |kind, index| Operation::Partition { kind, index }.path(42);
        assert_eq!(Operation::Counts.path(42), "Findings/42");
        assert_eq!(partition(Kind::Sentiment, 0), "Findings/42/Sentiment/0");
        assert_eq!(partition(Kind::Topics, 17), "Findings/42/Topics/17");
        assert_eq!(Operation::Counts.path(i64::MIN), "Findings/-9223372036854775808");
    }

    #[test]
    fn kinds_cross_the_border_by_their_names() {
        for kind in Kind::ALL {
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{}\"", kind.name()));
        }
    }
}
