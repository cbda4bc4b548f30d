//! The counts answer: how many partitions and findings there are of each kind.

use std::ops::Range;

use super::cursor::{Cursor, Fault, Reason};
use super::messages::read_errors;
use super::skip::Skip;
use super::value::{Key, read_key};
use super::{DecodeError, skip_byte_order_mark};
use crate::contract::{ERRORS, Kind, KindCounts, MAX_SAFE_INTEGER};
use crate::numbers::exact;

/// The body of a counts answer.
#[derive(Debug)]
pub struct CountsBody {
    /// What the service said about a failure; `None` means success.
    pub errors: Option<Vec<String>>,
    /// What it says of each kind.
    pub counts: Counts<DecodeError>,
}

/// The counts of both kinds, each with what is wrong with it if something is: only those asked for need to be right.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts<Flaw> {
    /// The counts of the sentiment findings.
    pub sentiment: Result<KindCounts, Flaw>,
    /// The counts of the topic findings.
    pub topics: Result<KindCounts, Flaw>,
}

/// Where the values of the answer lie.
#[derive(Default)]
struct Fields {
    /// Why there are none.
    no_object: Option<Fault>,
    errors: Option<Range<usize>>,
    sentiment: KindFields,
    topics: KindFields,
}

#[derive(Default)]
struct KindFields {
    partitions: Option<Range<usize>>,
    findings: Option<Range<usize>>,
}

impl CountsBody {
    /// Decodes a counts answer. One that is no object has no counts, but a caller may know how to read it.
    pub fn decode(body: &[u8]) -> Result<Self, DecodeError> {
        let mut cursor = Cursor { body, at: 0 };
        let fields = Fields::read(&mut cursor).map_err(|fault| fault.with_path(body))?;
        let errors = fields.errors.and_then(|errors| read_errors(cursor.between(errors.start, errors.end)));
        let no_object = fields.no_object;
        let counts = |fields: KindFields, kind| {
            let counts = no_object.map_or_else(|| fields.counts(&cursor, kind), Err);
            counts.map_err(|fault| fault.with_path(body))
        };
        let sentiment = counts(fields.sentiment, Kind::Sentiment);
        let topics = counts(fields.topics, Kind::Topics);
        Ok(CountsBody { errors, counts: Counts { sentiment, topics } })
    }
}

impl<Flaw> Counts<Flaw> {
    /// The counts of one kind.
    pub fn of(self, kind: Kind) -> Result<KindCounts, Flaw> {
        match kind {
            Kind::Sentiment => self.sentiment,
            Kind::Topics => self.topics,
        }
    }
}

impl Fields {
    /// Reads the whole answer; of fields that repeat, the last one counts.
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Fault> {
        let mut fields = Fields::default();
        skip_byte_order_mark(cursor);
        let first = cursor.peek_token();
        cursor.check_body()?;
        if first == b'{' {
            fields.read_members(cursor)?;
        } else {
            fields.no_object = Some(cursor.fault(Reason::NotAnObject));
            skip_value(cursor)?;
        }
        cursor.peek_token();
        if cursor.rest().is_empty() { Ok(fields) } else { Err(cursor.unexpected()) }
    }

    fn read_members(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        cursor.at += 1;
        let mut scratch = Vec::new();
        let mut is_first = true;
        while cursor.peek_token() != b'}' {
            if !is_first {
                cursor.expect(b",")?;
                cursor.peek_token();
            }
            is_first = false;
            let field = match read_key(cursor, &mut scratch)? {
                Key::Name(name) => self.named(name),
                Key::Unpaired => None,
            };
            let value = skip_value(cursor)?;
            if let Some(field) = field {
                *field = Some(value);
            }
        }
        cursor.at += 1;
        Ok(())
    }

    fn named(&mut self, name: &str) -> Option<&mut Option<Range<usize>>> {
        if name == ERRORS {
            return Some(&mut self.errors);
        }
        Kind::ALL.into_iter().zip([&mut self.sentiment, &mut self.topics]).find_map(|(kind, fields)| match name {
            _ if name == kind.partitions_field() => Some(&mut fields.partitions),
            _ if name == kind.findings_field() => Some(&mut fields.findings),
            _ => None,
        })
    }
}

impl KindFields {
    fn counts(self, cursor: &Cursor<'_>, kind: Kind) -> Result<KindCounts, Fault> {
        let missing = Fault { offset: 0, reason: Reason::Missing(kind.partitions_field()) };
        let partitions = count(cursor, self.partitions.ok_or(missing)?)?;
        let total = self.findings.filter(|total| cursor.between(total.start, total.end) != b"null");
        Ok(KindCounts { partitions, findings: total.map(|total| count(cursor, total)).transpose()? })
    }
}

/// Goes past the value here and says where it lies.
pub fn skip_value(cursor: &mut Cursor<'_>) -> Result<Range<usize>, Fault> {
    cursor.peek_token();
    let start = cursor.at;
    Skip::new(usize::MAX).run(cursor, usize::MAX)?;
    Ok(start..cursor.at)
}

fn count(cursor: &Cursor<'_>, value: Range<usize>) -> Result<u64, Fault> {
    let text = std::str::from_utf8(cursor.between(value.start, value.end)).unwrap_or_default();
    let number = exact(text).and_then(count_of);
    number.ok_or(Fault { offset: value.start, reason: Reason::NotACount })
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
