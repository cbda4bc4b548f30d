//! The paths of the service, its two kinds of findings and the names of the fields of its counts answer.

use std::fmt;

/// The highest integer that JavaScript and the service agree on exactly, 2^53 − 1.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// The two kinds of findings that the service keeps apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Findings of the sentiment analysis.
    Sentiment,
    /// Findings of the topic analysis.
    Topics,
}

impl Kind {
    /// Both kinds.
    pub const ALL: [Kind; 2] = [Kind::Sentiment, Kind::Topics];

    /// The kind of that name, as callers write it: `"sentiment"` or `"topics"`.
    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The name by which callers ask for this kind.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Sentiment => "sentiment",
            Kind::Topics => "topics",
        }
    }

    /// The field of the counts answer with the number of partitions of this kind.
    pub const fn partitions_field(self) -> &'static str {
        match self {
            Kind::Sentiment => "SentimentPartitions",
            Kind::Topics => "TopicPartitions",
        }
    }

    /// The field of the counts answer with the total of findings of this kind.
    pub const fn findings_field(self) -> &'static str {
        match self {
            Kind::Sentiment => "SentimentFindings",
            Kind::Topics => "TopicFindings",
        }
    }

    fn segment(self) -> &'static str {
        match self {
            Kind::Sentiment => "Sentiment",
            Kind::Topics => "Topics",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// How much the service holds of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindCounts {
    /// Number of partitions; their indexes are 0 to this − 1.
    pub partitions: u64,
    /// Number of findings over all partitions, where the service says it.
    pub findings: Option<u64>,
}

impl fmt::Display for KindCounts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} partitions", self.partitions)?;
        self.findings.map_or(Ok(()), |findings| write!(formatter, " with {findings} findings"))
    }
}

/// One thing to ask the service for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The partition counts of an inspection.
    Counts,
    /// The findings of one kind in one partition.
    Partition {
        /// The kind of the findings.
        kind: Kind,
        /// The index of the partition.
        index: u64,
    },
}

impl Operation {
    /// The path of this operation for an inspection, relative to the base URL.
    pub fn path(self, inspection: i64) -> String {
        match self {
            Operation::Counts => format!("Findings/{inspection}"),
            Operation::Partition { kind, index } => {
                format!("Findings/{inspection}/{}/{index}", kind.segment())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_service() {
        let partition = |kind, index| Operation::Partition { kind, index }.path(42);
        assert_eq!(Operation::Counts.path(42), "Findings/42");
        assert_eq!(partition(Kind::Sentiment, 0), "Findings/42/Sentiment/0");
        assert_eq!(partition(Kind::Topics, 17), "Findings/42/Topics/17");
        assert_eq!(Operation::Counts.path(i64::MIN), "Findings/-9223372036854775808");
    }

    #[test]
    fn kinds_are_found_by_their_exact_name() {
        assert_eq!(Kind::named("sentiment"), Some(Kind::Sentiment));
        assert_eq!(Kind::named("topics"), Some(Kind::Topics));
        assert_eq!(Kind::named("Topics"), None);
        assert_eq!(Kind::named(""), None);
    }
}
