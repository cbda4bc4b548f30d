//! Bodies to findings: what an answer of the service says, or where in its bytes it is not what the contract says.

pub mod counts;
mod envelope;
pub mod path;

use std::fmt;
use std::ops::Range;

use crate::contract::FINDINGS;
use envelope::Envelope;
pub use envelope::text_of;

/// The body of a partition.
#[derive(Debug)]
pub struct Body {
    /// What the service said about a failure; `None` means success.
    pub errors: Option<Vec<String>>,
    /// The findings that came along, or why there are none.
    pub findings: Result<Chunk, DecodeError>,
}

/// The findings of one partition.
#[derive(Debug, PartialEq)]
pub struct Chunk {
    body: Vec<u8>,
    findings: Range<usize>,
    length: usize,
}

/// Where a body is not what the contract says, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodeError {
    /// The position in the body, in bytes from 0.
    pub offset: usize,
    /// The JSON path of the value there, such as `$.Findings[3].Topic`.
    pub path: String,
    /// What is wrong there.
    pub reason: Problem,
}

/// What is wrong with a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// There are no bytes.
    NoBody,
    /// The bytes are not UTF-8.
    Utf8,
    /// The text is not JSON; what the parser says about it.
    Json(String),
    /// The field is missing.
    Missing(&'static str),
    /// The value is not what the contract asks for, which is this.
    Not(&'static str),
    /// The caller's own mapping of the counts answer gave no counts; the position says nothing here.
    Mapping(String),
}

impl Body {
    /// Decodes the body of a partition.
    pub fn decode(body: Vec<u8>) -> Result<Body, DecodeError> {
        let text = text_of(&body)?;
        let envelope = Envelope::read(text, [FINDINGS])?;
        let errors = envelope.errors();
        let [findings] = envelope.fields;
        let findings = envelope::array_of_objects(text, FINDINGS, findings);
        Ok(Body { errors, findings: findings.map(|(findings, length)| Chunk { body, findings, length }) })
    }
}

impl Chunk {
    /// Number of findings.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The findings as a JSON array.
    pub fn json(&self) -> &[u8] {
        self.body.get(self.findings.clone()).unwrap_or_default()
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Problem::Mapping(_) => self.reason.fmt(formatter),
            reason => write!(formatter, "{reason} (at byte {}, {})", self.offset, self.path),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::NoBody => formatter.write_str("the answer has no body"),
            Problem::Utf8 => formatter.write_str("the body is not UTF-8"),
            Problem::Json(what) => write!(formatter, "the body is not JSON: {what}"),
            Problem::Missing(field) => write!(formatter, "{field} is missing"),
            Problem::Not(what) => write!(formatter, "the value is not {what}"),
            Problem::Mapping(what) => write!(formatter, "readCounts gave no counts: {what}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(body: &str) -> Result<Body, DecodeError> {
        Body::decode(body.as_bytes().to_vec())
    }

    fn chunk(body: &str) -> (String, usize) {
        let chunk = decode(body).unwrap().findings.unwrap();
        (String::from_utf8(chunk.json().to_vec()).unwrap(), chunk.length())
    }

    #[test]
    fn findings_pass_untouched_with_whatever_fields_they_have() {
        let findings = r#"[{"a":-0, "b":1e400, "c":"\ud800", "__proto__":1, "a":2}, {}]"#;
        assert_eq!(chunk(&format!(r#"{{"errors":null,"Findings":{findings}}}"#)), (findings.to_owned(), 2));
    }

    #[test]
    fn the_last_of_several_equal_fields_wins() {
        assert_eq!(chunk(r#"{"Findings":[1],"Findings":[{}],"errors":["x"],"errors":null}"#), ("[{}]".into(), 1));
        assert_eq!(decode(r#"{"Findings":[],"errors":null,"errors":[]}"#).unwrap().errors, Some(vec![]));
    }

    #[test]
    fn a_byte_order_mark_is_skipped_and_counted() {
        assert_eq!(chunk("\u{feff}{\"Findings\":[{}]}"), ("[{}]".into(), 1));
        assert_eq!(decode("\u{feff}{\"Findings\":[}").unwrap_err().offset, 16);
    }

    #[test]
    fn errors_other_than_null_or_absent_mean_failure_whatever_they_are() {
        let errors = |errors: &str| decode(&format!(r#"{{"errors":{errors},"Findings":[]}}"#)).unwrap().errors;
        assert_eq!(errors("null"), None);
        assert_eq!(errors("[]"), Some(vec![]));
        assert_eq!(errors(r#"["a", "b\n"]"#), Some(vec!["a".into(), "b\n".into()]));
        assert_eq!(errors(r#""boom""#), Some(vec!["boom".into()]));
        assert_eq!(errors("false"), Some(vec!["false".into()]));
        assert_eq!(errors(r#"[1, {"a":2}]"#), Some(vec!["1".into(), r#"{"a":2}"#.into()]));
    }

    #[test]
    fn a_failure_may_carry_findings_or_none() {
        let body = decode(r#"{"errors":["x"],"Findings":[{}]}"#).unwrap();
        assert_eq!(body.findings.unwrap().length(), 1);
        let body = decode(r#"{"errors":["x"]}"#).unwrap();
        assert_eq!(body.findings.unwrap_err().reason, Problem::Missing(FINDINGS));
    }

    #[test]
    fn what_is_not_an_array_of_objects_is_refused_with_its_place() {
        let problem = |body: &str| decode(body).and_then(|body| body.findings).unwrap_err().to_string();
        assert_eq!(problem("{}"), "Findings is missing (at byte 0, $)");
        assert_eq!(problem(r#"{"Findings":null}"#), "the value is not an array of objects (at byte 12, $.Findings)");
        assert_eq!(problem(r#"{"Findings":[{}, 7]}"#), "the value is not an object (at byte 17, $.Findings[1])");
        assert_eq!(problem("[]"), "the value is not an object (at byte 0, $)");
        assert_eq!(problem(""), "the answer has no body (at byte 0, $)");
    }

    #[test]
    fn a_body_that_is_not_json_is_refused_at_its_byte() {
        let error = decode(r#"{"Findings":[{"Topic":{"Text":nul}}]}"#).unwrap_err();
        assert_eq!((error.offset, error.path.as_str()), (33, "$.Findings[0].Topic.Text"));
        assert!(matches!(error.reason, Problem::Json(_)));
        let cut = decode(r#"{"Findings":[{"Comment":"abc"#).unwrap_err();
        assert_eq!((cut.offset, cut.path.as_str()), (28, "$.Findings[0].Comment"));
        let trailing = decode(r#"{"Findings":[]} x"#).unwrap_err();
        assert_eq!((trailing.offset, trailing.path.as_str()), (16, "$"));
    }

    #[test]
    fn a_body_that_is_not_utf8_is_refused_at_its_byte() {
        let error = Body::decode(b"{\"Findings\":[{\"a\":\"\xff\"}]}".to_vec()).unwrap_err();
        assert_eq!((error.offset, error.path.as_str(), error.reason), (19, "$.Findings[0].a", Problem::Utf8));
    }
}
