//! The fields of the responses of the service, by the names that its contract gives them.

/// The findings of a partition.
pub const FINDINGS: &str = "Findings";

/// The messages of a request that has failed; null or absent if it has succeeded.
pub const ERRORS: &str = "errors";

/// The counts of the sentiment findings: of their partitions, and of all of them.
pub const SENTIMENT_COUNTS: [&str; 2] = ["SentimentPartitions", "SentimentFindings"];

/// The counts of the topic findings: of their partitions, and of all of them.
pub const TOPIC_COUNTS: [&str; 2] = ["TopicPartitions", "TopicFindings"];

/// The columns of the fields of a finding that the service documents. Few findings have all of them: only those of one kind have `Sentiment`, for example.
pub const DOCUMENTED: [&str; 16] = [
    "VariableKey",
    "RespondentKey",
    "RespondentId",
    "StringKey",
    "TopicGroup",
    "ExpressionGroup",
    "NoTopic",
    "NoExpression",
    "Comment",
    "Topic",
    "Topic.Text",
    "Expression",
    "Expression.Text",
    "Extract",
    "Extract.Text",
    "Sentiment",
];
