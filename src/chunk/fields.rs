//! The fields of the responses of the service, by the names that its contract gives them.

/// The findings of a partition.
pub const FINDINGS: &str = "Findings";

/// The messages of a request that has failed; null or absent if it has succeeded.
pub const ERRORS: &str = "errors";

/// The counts of the sentiment findings: of their partitions, and of all of them.
pub const SENTIMENT_COUNTS: [&str; 2] = ["SentimentPartitions", "SentimentFindings"];

/// The counts of the topic findings: of their partitions, and of all of them.
pub const TOPIC_COUNTS: [&str; 2] = ["TopicPartitions", "TopicFindings"];

/// The columns of the fields of a finding that the service documents: first those that every finding has, then those that it may lack.
pub const DOCUMENTED: [&str; 16] = [
    "VariableKey",
    "RespondentKey",
    "RespondentId",
    "StringKey",
    "TopicGroup",
    "ExpressionGroup",
    "Comment",
    "Topic",
    "Expression",
    "Extract",
    "NoTopic",
    "NoExpression",
    "Topic.Text",
    "Expression.Text",
    "Extract.Text",
    SENTIMENT,
];

/// The number of documented fields that every finding has.
pub const REQUIRED: usize = 10;

/// The field that only sentiment findings have.
pub const SENTIMENT: &str = "Sentiment";
