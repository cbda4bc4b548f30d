//! The counts response: the number of partitions and findings of each kind.

use chunk::decode::object::ObjectFields;
use chunk::decode::{DecodeError, DecodeErrorKind, read_messages};
use chunk::fields::ERRORS;

use crate::contract::{Kind, KindCounts, MAX_SAFE_INTEGER};

/// The body of a counts response.
#[derive(Debug)]
pub struct CountsBody {
    /// The messages of the field `errors`; `None` if the service reports none.
    pub errors: Option<Vec<String>>,
    /// The counts of both kinds.
    pub counts: Counts<DecodeError>,
}

/// The counts of both kinds. Each has its own error, because a call needs only the counts of its kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts<Flaw> {
    /// The counts of the sentiment findings.
    pub sentiment: Result<KindCounts, Flaw>,
    /// The counts of the topic findings.
    pub topics: Result<KindCounts, Flaw>,
}

/// The fields of the response that matter.
const FIELDS: [&str; 5] = [
    ERRORS,
    Kind::Sentiment.partitions_field(),
    Kind::Sentiment.findings_field(),
    Kind::Topics.partitions_field(),
    Kind::Topics.findings_field(),
];

impl CountsBody {
    /// Decodes a counts response.
    ///
    /// # Errors
    /// The body is not JSON. Other flaws are errors of the counts, because `readCounts` may still convert the body.
    pub fn decode(body: &[u8]) -> Result<Self, DecodeError> {
        let fields = ObjectFields::read(body, FIELDS)?;
        let counts =
            Counts { sentiment: kind_counts(&fields, Kind::Sentiment), topics: kind_counts(&fields, Kind::Topics) };
        Ok(CountsBody { errors: read_messages(fields.raw_json(ERRORS)), counts })
    }
}

impl<Flaw> Counts<Flaw> {
    /// Takes the counts of one kind.
    ///
    /// # Errors
    ///
    /// What is wrong with the counts of this kind.
    pub fn of(self, kind: Kind) -> Result<KindCounts, Flaw> {
        match kind {
            Kind::Sentiment => self.sentiment,
            Kind::Topics => self.topics,
        }
    }
}

type Fields<'body> = ObjectFields<'body, { FIELDS.len() }>;

fn kind_counts(fields: &Fields<'_>, kind: Kind) -> Result<KindCounts, DecodeError> {
    fields.check_object()?;
    let field = kind.partitions_field();
    let partitions =
        count(fields, field)?.ok_or_else(|| fields.error_at(field, DecodeErrorKind::MissingField(field)))?;
    let findings = match fields.raw_json(kind.findings_field()) {
        b"null" => None,
        _ => count(fields, kind.findings_field())?,
    };
    Ok(KindCounts { partitions, findings })
}

/// The count in a field; `None` without the field.
fn count(fields: &Fields<'_>, field: &'static str) -> Result<Option<u64>, DecodeError> {
    let json = fields.raw_json(field);
    if json.is_empty() {
        return Ok(None);
    }
    let count = fields.unsigned_integer(field).filter(|count| *count <= MAX_SAFE_INTEGER);
    count.map(Some).ok_or_else(|| fields.error_at(field, DecodeErrorKind::NotAnUnsignedInteger(field)))
}

/// Converts a number to a count; `None` unless it is an integer in `0..=MAX_SAFE_INTEGER`.
pub fn count_of(number: f64) -> Option<u64> {
    let is_count = number >= 0.0 && number.fract() == 0.0 && number <= MAX_SAFE_INTEGER as f64;
    is_count.then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sentiment(body: &str) -> Result<KindCounts, String> {
        CountsBody::decode(body.as_bytes())
            .and_then(|body| body.counts.of(Kind::Sentiment))
            .map_err(|error| error.to_string())
    }

    fn partitions(number: &str) -> Result<u64, String> {
        sentiment(&format!(r#"{{"SentimentPartitions":{number}}}"#)).map(|counts| counts.partitions)
    }

    #[test]
    fn decodes_the_counts_of_each_kind() {
        let body =
            r#"{"TopicPartitions":1,"TopicFindings":2,"SentimentPartitions":3,"SentimentFindings":4,"errors":null}"#;
        let CountsBody { errors, counts } = CountsBody::decode(body.as_bytes()).unwrap();
        assert_eq!(counts.topics, Ok(KindCounts { partitions: 1, findings: Some(2) }));
        assert_eq!(counts.sentiment, Ok(KindCounts { partitions: 3, findings: Some(4) }));
        assert_eq!(errors, None);
    }

    #[test]
    fn accepts_one_kind_when_the_other_is_wrong() {
        let body = r#"{"SentimentPartitions":3,"TopicPartitions":"many"}"#;
        assert_eq!(sentiment(body), Ok(KindCounts { partitions: 3, findings: None }));
        assert!(CountsBody::decode(body.as_bytes()).unwrap().counts.topics.is_err());
    }

    #[test]
    fn treats_a_null_total_as_unknown() {
        let counts = sentiment(r#"{"SentimentPartitions":3,"SentimentFindings":null}"#);
        assert_eq!(counts, Ok(KindCounts { partitions: 3, findings: None }));
    }

    #[test]
    fn accepts_non_negative_integers_in_any_spelling() {
        assert_eq!(partitions("10.0"), Ok(10));
        assert_eq!(partitions("1e1"), Ok(10));
        assert_eq!(partitions("-0"), Ok(0));
        assert_eq!(partitions("3.00000000000000000"), Ok(3));
        assert_eq!(partitions("0.0000000000000000000003e22"), Ok(3));
        assert_eq!(partitions("3000000000000000000e-18"), Ok(3));
        assert_eq!(partitions("-0.000e+99999999999999999999"), Ok(0));
        assert_eq!(partitions("9007199254740991"), Ok(9_007_199_254_740_991));
        assert_eq!(partitions("4000000000"), Ok(4_000_000_000));
        for wrong in [
            "-1",
            "2.5",
            "3.00000000000000001",
            "-3.0e0",
            "1e-1",
            "1e400",
            "1e99999999999999999999",
            "9007199254740992",
            "1e19",
            "1e20",
            "18446744073709551617",
            "\"3\"",
            "true",
            "null",
            "[3]",
        ] {
            let expected = "SentimentPartitions is not a non-negative integer (at byte 23)";
            assert_eq!(partitions(wrong), Err(expected.to_owned()), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn parses_every_spelling_of_an_integer_alike(count in 0..=9_999_999_u64, shift in 0..10_usize, zeros in 0..10_usize) {
            let zeros = "0".repeat(zeros);
            let shifted = format!("{count:0>width$}", width = shift + 1);
            let (whole, fraction) = shifted.split_at(shifted.len() - shift);
            let point = if shift == 0 { "" } else { "." };
            let sign = if shift % 2 == 0 { "E+" } else { "e" };
            for spelling in [
                format!("{count}.0{zeros}"),
                format!("{whole}{point}{fraction}{sign}{shift}"),
                format!("{}e-{}", if count == 0 { "0".to_owned() } else { format!("{count}{zeros}") }, zeros.len()),
            ] {
                prop_assert_eq!(partitions(&spelling), Ok(count), "{}", spelling);
            }
        }

        #[test]
        fn agrees_with_a_double_where_the_double_is_exact(
            number in "-?(0|[1-9][0-9]{0,5})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,2})?",
        ) {
            let double: f64 = number.parse().unwrap();
            // A double this small is an integer only if the number is.
            if double.abs() < 1e9 || double.abs() > 1e17 {
                prop_assert_eq!(partitions(&number).ok(), count_of(double), "{}", number);
            }
        }
    }

    #[test]
    fn names_a_missing_count() {
        assert_eq!(sentiment("{}"), Err("SentimentPartitions is missing (at byte 0)".to_owned()));
    }
}
