//! The counts answer: how many partitions and findings there are of each kind.

use serde_json::value::RawValue;

use super::envelope::{Envelope, offset_of, text_of};
use super::{DecodeError, Problem};
use crate::contract::{Kind, KindCounts, MAX_SAFE_INTEGER};

/// The body of a counts answer.
#[derive(Debug)]
pub struct CountsBody {
    /// What the service said about a failure; `None` means success.
    pub errors: Option<Vec<String>>,
    /// What it says of each kind.
    pub counts: Counts,
}

/// The counts of both kinds, each with what is wrong with it if something is: only those asked for need to be right.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    /// The counts of the sentiment findings.
    pub sentiment: Result<KindCounts, DecodeError>,
    /// The counts of the topic findings.
    pub topics: Result<KindCounts, DecodeError>,
}

impl CountsBody {
    /// Decodes a counts answer. One that is no object has no counts, but a caller may know how to read it.
    pub fn decode(body: &[u8]) -> Result<Self, DecodeError> {
        let text = text_of(body)?;
        let (errors, sentiment) = read(text, Kind::Sentiment)?;
        let (_, topics) = read(text, Kind::Topics)?;
        Ok(CountsBody { errors, counts: Counts { sentiment, topics } })
    }
}

impl Counts {
    /// The counts of one kind.
    pub fn of(self, kind: Kind) -> Result<KindCounts, DecodeError> {
        match kind {
            Kind::Sentiment => self.sentiment,
            Kind::Topics => self.topics,
        }
    }
}

type Read = (Option<Vec<String>>, Result<KindCounts, DecodeError>);

fn read(text: &str, kind: Kind) -> Result<Read, DecodeError> {
    match Envelope::read(text, [kind.partitions_field(), kind.findings_field()]) {
        Ok(envelope) => Ok((envelope.errors(), kind_counts(text, kind, envelope.fields))),
        Err(error) if error.reason == Problem::Not("an object") => Ok((None, Err(error))),
        Err(error) => Err(error),
    }
}

fn kind_counts(text: &str, kind: Kind, fields: [Option<&RawValue>; 2]) -> Result<KindCounts, DecodeError> {
    let [partitions, findings] = fields;
    let missing = Problem::Missing(kind.partitions_field());
    let partitions = partitions.ok_or_else(|| DecodeError { offset: 0, path: "$".into(), reason: missing })?;
    let total = findings.filter(|total| total.get() != "null");
    Ok(KindCounts {
        partitions: count(text, kind.partitions_field(), partitions)?,
        findings: total.map(|total| count(text, kind.findings_field(), total)).transpose()?,
    })
}

fn count(text: &str, name: &str, value: &RawValue) -> Result<u64, DecodeError> {
    let number = serde_json::from_str::<f64>(value.get()).ok();
    number.and_then(count_of).ok_or_else(|| DecodeError {
        offset: offset_of(text, value),
        path: format!("$.{name}"),
        reason: Problem::Not("a non-negative integer"),
    })
}

/// The number as a count, if it is one: 10.0 is, −1 and 2.5 are not.
pub fn count_of(number: f64) -> Option<u64> {
    let is_count = number >= 0.0 && number.fract() == 0.0 && number <= MAX_SAFE_INTEGER as f64;
    is_count.then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentiment(body: &str) -> Result<KindCounts, String> {
        CountsBody::decode(body.as_bytes())
            .and_then(|body| body.counts.of(Kind::Sentiment))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn each_kind_has_its_own_counts() {
        let body =
            r#"{"TopicPartitions":1,"TopicFindings":2,"SentimentPartitions":3,"SentimentFindings":4,"errors":null}"#;
        let CountsBody { errors, counts } = CountsBody::decode(body.as_bytes()).unwrap();
        assert_eq!(counts.topics, Ok(KindCounts { partitions: 1, findings: Some(2) }));
        assert_eq!(counts.sentiment, Ok(KindCounts { partitions: 3, findings: Some(4) }));
        assert_eq!(errors, None);
    }

    #[test]
    fn only_the_counts_of_the_asked_kind_are_needed() {
        let body = r#"{"SentimentPartitions":3,"TopicPartitions":"many"}"#;
        assert_eq!(sentiment(body), Ok(KindCounts { partitions: 3, findings: None }));
        assert!(CountsBody::decode(body.as_bytes()).unwrap().counts.topics.is_err());
    }

    #[test]
    fn a_total_that_is_null_is_unknown() {
        let counts = sentiment(r#"{"SentimentPartitions":3,"SentimentFindings":null}"#);
        assert_eq!(counts, Ok(KindCounts { partitions: 3, findings: None }));
    }

    #[test]
    fn a_count_is_a_non_negative_integer_however_it_is_written() {
        let partitions =
            |number: &str| sentiment(&format!(r#"{{"SentimentPartitions":{number}}}"#)).map(|counts| counts.partitions);
        assert_eq!(partitions("10.0"), Ok(10));
        assert_eq!(partitions("1e1"), Ok(10));
        assert_eq!(partitions("-0"), Ok(0));
        assert_eq!(partitions("4000000000"), Ok(4_000_000_000));
        for wrong in ["-1", "2.5", "1e400", "9007199254740993", "\"3\"", "true", "null", "[3]"] {
            let expected = "the value is not a non-negative integer (at byte 23, $.SentimentPartitions)";
            assert_eq!(partitions(wrong), Err(expected.to_owned()), "{wrong}");
        }
    }

    #[test]
    fn a_missing_count_is_named() {
        assert_eq!(sentiment("{}"), Err("SentimentPartitions is missing (at byte 0, $)".to_owned()));
    }
}
