//! Decodes bodies of all kinds and compares the results with those of serde_json.

mod reference;

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::value::RawValue;

use self::reference::{Json, names_of};
use super::*;
use crate::hash::HashSeed;
use crate::json::error::MAX_LENGTH;
use crate::rows::json;
use crate::value::cell::Cell;
use crate::value::number_interner::rust_number;
use crate::value::shapes::MAX_KEYS;

/// Parses a text, if it is JSON.
fn parse(text: &str) -> Option<Json> {
    let raw: &RawValue = serde_json::from_str(text).ok()?;
    Some(Json::of(raw.get()))
}

/// The members of an object of numbers.
fn members(json: &str) -> BTreeMap<String, f64> {
    serde_json::from_str(json).unwrap()
}

struct Decoded {
    body: DecodedBody,
}

impl Decoded {
    fn findings(&self) -> Result<Vec<Json>, DecodeError> {
        let chunk = self.body.findings.as_ref().map_err(Clone::clone)?;
        Ok((0..chunk.len()).map(|row| parse(&json::finding(chunk, row)).unwrap()).collect())
    }

    fn byte_length(&self) -> usize {
        self.body.findings.as_ref().map_or(0, Chunk::byte_length)
    }
}

fn decode_in_slices(body: &[u8], slice: usize) -> Result<Decoded, DecodeError> {
    decode_columns(body, slice, None)
}

fn decode_columns(body: &[u8], slice: usize, columns: Option<&[Vec<String>]>) -> Result<Decoded, DecodeError> {
    let mut dictionary = Dictionary::default();
    dictionary.columns = columns.map(|columns| Rc::new(names_of(columns)));
    let mut decoder = Decoder::new(body.to_vec(), dictionary);
    while !decoder.advance(slice)? {}
    Ok(Decoded { body: decoder.finish() })
}

fn decode(body: &str) -> Result<Decoded, DecodeError> {
    decode_in_slices(body.as_bytes(), usize::MAX)
}

fn keys(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|key| (*key).to_owned()).collect()
}

/// Returns how deep arrays and objects are nested.
fn nesting(json: &Json) -> usize {
    match json {
        Json::Array(elements) => 1 + elements.iter().map(nesting).max().unwrap_or(0),
        Json::Object(members) => 1 + members.iter().map(|(_, value)| nesting(value)).max().unwrap_or(0),
        _ => 0,
    }
}

/// Decodes bytes and compares the result with that of serde_json.
fn compare(bytes: &[u8], slice: usize) {
    compare_columns(bytes, slice, None);
}

fn compare_columns(bytes: &[u8], slice: usize, columns: Option<&[Vec<String>]>) {
    let ours = decode_columns(bytes, slice, columns);
    let without_mark = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let theirs = std::str::from_utf8(without_mark).ok().and_then(parse);
    match (ours, theirs) {
        (Err(error), None) => assert!(error.offset <= bytes.len(), "{error}"),
        (Err(error), Some(json)) => {
            assert_eq!(error.kind, DecodeErrorKind::TooDeep, "{error}");
            assert!(nesting(&json) > MAX_NESTING);
        }
        (Ok(_), None) => panic!("accepted what serde_json refuses"),
        (Ok(decoded), Some(json)) => match (decoded.findings(), json.get("Findings")) {
            (Ok(ours), Some(Json::Array(theirs))) => {
                let columns = columns.map(|columns| columns.iter().map(Vec::as_slice).collect::<Vec<_>>());
                let pruned =
                    |finding| columns.as_ref().map_or_else(|| Json::clone(finding), |names| finding.pruned(names));
                assert_eq!(ours, theirs.iter().map(pruned).collect::<Vec<_>>());
            }
            (Ok(_), Some(_)) => panic!("accepted findings that are no array"),
            (Err(error), None) => {
                let is_object = matches!(json, Json::Object(_));
                assert_eq!(
                    error.kind,
                    if is_object { DecodeErrorKind::MissingField(FINDINGS) } else { DecodeErrorKind::NotAnObject }
                );
            }
            (Err(error), Some(Json::Array(elements))) => {
                assert_eq!(error.kind, DecodeErrorKind::NotAFinding);
                assert_eq!(error.finding, elements.iter().position(|element| !matches!(element, Json::Object(_))));
            }
            (Err(error), Some(_)) => assert_eq!(error.kind, DecodeErrorKind::NotAnArray),
            (Ok(_), None) => panic!("findings without Findings"),
        },
    }
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i8>().prop_map(|number| number.to_string()),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,9})?([eE][+-]?[0-9]{1,3})?"
    ]
}

fn text() -> impl Strategy<Value = String> {
    let escaped = r#""(a|é|😀|\\n|\\"|\\\\|\\u0000|\\u00e9|\\ud83d|\\ude00|\\ud83d\\ude00|[ -!#-\[\]-~]){0,9}""#;
    prop_oneof![r#""[a-c]{0,2}""#, escaped, r#""[ -!#-\[\]-~]{10,60}""#]
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![8 => r#""[a-d]""#, 1 => Just(r#""__proto__""#.to_owned()), 1 => r#""[0-9]{1,2}""#, 1 => text()]
}

/// The JSON of any value, with white space here and there.
fn value() -> impl Strategy<Value = String> {
    let leaf =
        prop_oneof![number(), text(), Just("null".to_owned()), Just("true".to_owned()), Just("false".to_owned())];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            object(inner.clone()),
            prop::collection::vec(inner, 0..4).prop_map(|elements| format!("[{}]", elements.join(",")))
        ]
    })
}

fn object(inner: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let space = prop_oneof![9 => Just(""), 1 => Just(" "), 1 => Just("\r\n\t")];
    prop::collection::vec((key(), space, inner), 0..5).prop_map(|members| {
        let members: Vec<String> =
            members.iter().map(|(key, space, value)| format!("{space}{key}{space}:{space}{value}{space}")).collect();
        format!("{{{}}}", members.join(","))
    })
}

fn body() -> impl Strategy<Value = String> {
    let findings =
        prop::collection::vec(object(value()), 0..12).prop_map(|findings| format!("[{}]", findings.join(",")));
    let member = prop_oneof![
        6 => findings.prop_map(|findings| format!("\"Findings\":{findings}")),
        1 => value().prop_map(|value| format!("\"Findings\":{value}")),
        1 => prop::collection::vec(value(), 0..3).prop_map(|values| format!("\"Findings\":[{}]", values.join(","))),
        2 => value().prop_map(|value| format!("\"errors\":{value}")),
        2 => (key(), value()).prop_map(|(key, value)| format!("{key}:{value}")),
    ];
    let body = prop::collection::vec(member, 1..4).prop_map(|members| format!("{{{}}}", members.join(",")));
    prop_oneof![20 => body, 1 => value()]
}

/// Some columns, each given by its keys.
fn columns() -> impl Strategy<Value = Vec<Vec<String>>> {
    let key = prop_oneof![9 => "[a-d]", 1 => Just("__proto__".to_owned()), 1 => "[0-9]{1,2}", 1 => "[.a\\\\é]{0,2}"];
    prop::collection::vec(prop::collection::vec(key, 1..4), 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6 * ProptestConfig::default().cases))]

    #[test]
    fn decodes_the_values_that_serde_reads_in_slices_of_any_size(body in body(), slice in 1usize..300) {
        compare(body.as_bytes(), slice);
    }

    #[test]
    fn keeps_the_fields_of_the_columns_and_skips_what_serde_reads(body in body(), columns in columns(), slice in 1usize..300) {
        compare_columns(body.as_bytes(), slice, Some(&columns));
    }

    // P8
    #[test]
    fn refuses_the_damaged_bodies_that_serde_refuses(body in body(), columns in prop::option::of(columns()), damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..3)) {
        let mut bytes = body.into_bytes();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        compare_columns(&bytes, usize::MAX, columns.as_deref());
    }

    #[test]
    fn refuses_truncated_bodies(body in body(), columns in prop::option::of(columns()), at in any::<prop::sample::Index>()) {
        let bytes = body.as_bytes();
        compare_columns(&bytes[..at.index(bytes.len())], usize::MAX, columns.as_deref());
    }
}

#[test]
fn decodes_odd_bodies_to_the_same_values() {
    for body in [
        r#"{"Findings":[]}"#,
        r#"{"Findings":[{}]}"#,
        r#"{"Findings":[{},{"a":{}},{"a":{"b":{}}},{"a":null},{}]}"#,
        r#"{"Findings":[{"a":1}],"Findings":[{"b":2}]}"#,
        r#"{"Findings":[{"a":1}],"Findings":7}"#,
        r#"{"Findings":7,"Findings":[{"a":1}]}"#,
        r#"{"Findings":[1],"\u0046indings":[{"a":1}]}"#,
        r#"{"Findings":[{"a":1,"a":2},{"a":{"b":1},"a":2},{"a":1,"b":2,"a":{"b":1,"b":{"c":3},"b":4}}]}"#,
        r#"{"Findings":[{"a":{"b":1},"a":2},{"a":2,"a":{"b":1}},{"a":2,"b":3,"a":{"b":1,"c":4,"b":5}},{"c":1,"c":2}]}"#,
        r#"{"Findings":[{"a":1,"b":2},{"b":2,"a":1},{"a":1, "b":2},{"a": 1,"b" :2 }]}"#,
        r#"{"Findings":[{"__proto__":1},{"__proto__":{"a":1}},{"a":{"__proto__":null}}]}"#,
        r#"{"Findings":[{"\ud800":1,"a":2},{"a":"\ud800"},{"a":"\uD800"},{"a":["\ud800"]}]}"#,
        r#"{"Findings":[{"a":-0},{"a":1e400},{"a":-1e400},{"a":9007199254740993},{"a":1073741824},{"a":0.1}]}"#,
        r#"{"Findings":[{"a":"x"},{"a":"x"},{"a":"xy"},{"a":"x"},{"a":1},{"a":[1]},{"a":"x"}]}"#,
        "\u{FEFF}{\"Findings\":[]}",
        "\u{FEFF}\u{FEFF}{\"Findings\":[]}",
        "",
        " ",
        "null",
        "[{}]",
        "{}",
        r#"{"Findings":null}"#,
        r#"{"Findings":{}}"#,
        r#"{"Findings":[{}],}"#,
        r#"{"Findings":[{},]}"#,
        r#"{"Findings":[,{}]}"#,
        r#"{"Findings":[{}]}}"#,
        r#"{"Findings":[{}]} x"#,
        r#"{"Findings":[{"a":01}]}"#,
        r#"{"Findings":[{"a":1}{"a":1}]}"#,
        r#"{"Findings":[{"a":1 "b":1}]}"#,
        r#"{"Findings":[{"a":1},{"a":truex}]}"#,
        r#"{"Findings":[{"a":1},{"a":1x}]}"#,
        r#"{"Findings":[{"a":"x"},{"a":"x"x}]}"#,
        "{\"Findings\":[{\"a\":1}]}\0",
    ] {
        for slice in 1..50 {
            compare(body.as_bytes(), slice);
        }
        for columns in [vec![], vec![keys(&["a"])], vec![keys(&["b"]), keys(&["a", "b"])]] {
            compare_columns(body.as_bytes(), usize::MAX, Some(&columns));
        }
    }
}

// P8
#[test]
fn an_error_has_its_position_its_finding_and_its_kind() {
    for (body, message) in [
        (r#"{"Findings":[{"a":1},{"a":?}]}"#, "the body is not JSON: unexpected ? (at byte 26, in Findings[1])"),
        (
            r#"{"Findings":[{"a.b":["x",{"c":tru!}]}]}"#,
            "the body is not JSON: unexpected ! (at byte 33, in Findings[0])",
        ),
        (r#"{"Findings":[{"a":1}],"more":[1,2,-]}"#, "the body is not JSON: unexpected ] (at byte 35)"),
        (r#"{"Findings":[{"b":"\q"}]}"#, "the body is not JSON: unexpected q (at byte 20, in Findings[0])"),
        (r#"{"Findings":[{},{"b":2"#, "the body is not JSON: it ends too early (at byte 22, in Findings[1])"),
        (r#"{"errors":null,"Findings":[{},7]}"#, "the finding is not an object (at byte 30, in Findings[1])"),
        ("\u{FEFF}{\"Findings\":7}", "Findings is not an array of objects (at byte 15)"),
        (r#"{"errors":null}"#, "Findings is missing (at byte 0)"),
        (
            r#"{"Findings":[{}]}{"Findings":[]}"#,
            "the body is not only JSON: the JSON ends, and { follows it (at byte 17)",
        ),
        (
            "<title>Sign in</title>",
            "the body is not JSON: unexpected <; it is an HTML page with the title \"Sign in\", perhaps of a firewall or proxy (at byte 0)",
        ),
    ] {
        let error = decode(body).and_then(|decoded| decoded.findings()).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn tells_a_body_that_is_cut_off_from_a_malformed_one() {
    let body =
        r#"{"errors":null,"Findings":[{"Comment":"größe 🙂\n\u00e9","Sentiment":-1.5e3,"NoTopic":true}]}"#.as_bytes();
    for end in 0..body.len() {
        let error = decode_in_slices(body.get(..end).unwrap(), usize::MAX).err().unwrap();
        assert!(error.is_cut_off(), "cut at {end}: {error}");
        assert!(end == 0 || error.offset == end, "cut at {end}: {error}");
    }
    for malformed in
        [&b"{\"Findings\":[{\"a\":\"\xC3\"}]}"[..], b"{\"Findings\":[{\"a\":}]}", b"{}", b"{\"a\":\"\xE9\xE9"]
    {
        let error = decode_in_slices(malformed, usize::MAX).and_then(|decoded| decoded.findings()).err();
        assert!(error.is_some_and(|error| !error.is_cut_off()));
    }
}

#[test]
fn reads_the_messages_of_the_service_beside_the_findings() {
    for (errors, messages) in [("null", None), ("[]", Some(vec![])), (r#"["a"]"#, Some(vec!["a".to_owned()]))] {
        let decoded = decode(&format!(r#"{{"errors":{errors},"Findings":[{{}}]}}"#)).unwrap();
        assert_eq!(decoded.body.errors, messages);
        assert_eq!(decoded.findings().unwrap().len(), 1);
    }
    assert_eq!(decode(r#"{"errors":["a"],"errors":null}"#).unwrap().body.errors, None);
}

// P9
#[test]
fn a_finding_may_be_nested_128_deep_and_no_deeper() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested =
            |levels: usize| format!("{{\"Findings\":[{{\"a\":{}1{}}}]}}", open.repeat(levels), close.repeat(levels));
        compare(nested(128).as_bytes(), usize::MAX);
        assert!(decode(&nested(128)).is_ok());
        assert_eq!(decode(&nested(129)).err().map(|error| error.kind), Some(DecodeErrorKind::TooDeep));
        let repeated = nested(128).replace("[{\"a\"", "[{\"a\":0,\"a\"");
        compare(repeated.as_bytes(), usize::MAX);
        assert!(decode(&repeated).is_ok());
    }
}

#[test]
fn a_value_may_be_as_long_as_a_string_of_javascript_and_no_longer() {
    for (open, close) in [("\"", "\""), ("[\"", "\"]"), ("\"\\ud800", "\"")] {
        // What is kept as JSON counts with its quotes and brackets.
        let around = if open == "\"" { 0 } else { open.len() + close.len() };
        let of_length =
            |length: usize| format!("{{\"Findings\":[{{\"a\":{open}{}{close}}}]}}", "x".repeat(length - around));
        assert_eq!(decode(&of_length(MAX_LENGTH)).unwrap().findings().unwrap().len(), 1);
        let error = decode(&of_length(MAX_LENGTH + 1)).err().unwrap();
        assert_eq!(error.kind, DecodeErrorKind::TooLong);
        assert_eq!(error.finding, Some(0), "{error}");
    }
}

#[test]
fn a_body_nested_a_million_deep_outside_of_findings_is_accepted() {
    let levels = 1_000_000;
    let body = format!("{{\"more\":{}{},\"Findings\":[]}}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(decode(&body).unwrap().findings(), Ok(vec![]));
}

#[test]
fn memory_grows_in_proportion_to_a_body_of_distinct_keys() {
    let keys_in_findings =
        (0..100_000).map(|number| format!("{{\"key {number}\":{number}}}")).collect::<Vec<_>>().join(",");
    let keys_in_one = (0..100_000).map(|number| format!("\"key {number}\":{number}")).collect::<Vec<_>>().join(",");
    let many_optional = (0..30_000u32)
        .map(|number| {
            (0..16)
                .filter(|key| number.wrapping_mul(0x9E37_79B9) >> key & 1 == 1)
                .map(|key| format!("\"k{key}\":1"))
                .collect::<Vec<_>>()
                .join(",")
        })
        .map(|members| format!("{{{members}}}"))
        .collect::<Vec<_>>()
        .join(",");
    let columns_then_nothing = format!(
        "{{{}}}{}",
        (0..1000).map(|key| format!("\"k{key}\":1")).collect::<Vec<_>>().join(","),
        ",{}".repeat(100_000)
    );
    for findings in [keys_in_findings, format!("{{{keys_in_one}}}"), many_optional, columns_then_nothing] {
        let body = format!("{{\"Findings\":[{findings}]}}");
        let decoded = decode(&body).unwrap();
        assert!(decoded.byte_length() < 6 * body.len() + 600_000, "{} for {}", decoded.byte_length(), body.len());
        let ours = decoded.body.findings.as_ref().unwrap();
        let array = format!("[{findings}]");
        let theirs: Vec<&RawValue> = serde_json::from_str(&array).unwrap();
        assert_eq!(ours.len(), theirs.len());
        for row in [0, ours.len() / 2, ours.len() - 1] {
            let finding = json::finding(ours, row);
            assert!(members(&finding) == members(theirs[row].get()));
        }
    }
}

#[test]
fn only_the_last_findings_of_a_body_leave_something_in_its_chunk() {
    let body = r#"{"Findings":[{"dropped":"gone","other":0.5}],"more":["gone"],"Findings":[{"a":"kept"}]}"#;
    let decoded = decode(body).unwrap();
    let bytes = decoded.body.findings.as_ref().unwrap().bytes();
    assert!(bytes.windows(4).any(|bytes| bytes == b"kept"));
    assert!(!bytes.windows(4).any(|bytes| bytes == b"gone") && !bytes.windows(7).any(|bytes| bytes == b"dropped"));
    assert_eq!(bytes.len(), decode(r#"{"Findings":[{"a":"kept"}]}"#).unwrap().body.findings.unwrap().bytes().len());
}

#[test]
fn a_finding_without_a_shape_is_whole_but_in_no_column() {
    let fields = |count: usize| (0..count).map(|number| format!("\"f{number}\":1")).collect::<Vec<_>>().join(",");
    let (most, more) = (fields(MAX_KEYS as usize), fields(MAX_KEYS as usize + 1));
    let objects = format!("\"o\":{{{}}}", fields(MAX_KEYS as usize - 1));
    for (finding, is_shaped) in [
        (r#"{"a":1,"b":{"c":2}}"#.to_owned(), true),
        (r#"{"a":1,"a":"y"}"#.to_owned(), false),
        (r#"{"a":1,"b":{"c":2},"b":{"d":5}}"#.to_owned(), false),
        (r#"{"a":1,"\ud800":2}"#.to_owned(), false),
        (format!("{{{most}}}"), true),
        (format!("{{{more}}}"), false),
        (format!("{{{objects}}}"), true),
        (format!("{{\"a\":1,{objects}}}"), false),
    ] {
        let decoded = decode(&format!(r#"{{"Findings":[{{"a":0}},{finding}]}}"#)).unwrap();
        let chunk = decoded.body.findings.as_ref().unwrap();
        assert_eq!(chunk.has_unshaped(), !is_shaped, "{finding}");
        if !is_shaped {
            assert_eq!(json::finding(chunk, 1), finding);
            // The first path.
            let column = chunk.column(1);
            assert_eq!([column.word(0), column.word(1)], [Cell::integer(0).word(), Cell::MISSING.word()]);
        }
    }
}

#[cfg(feature = "tables")]
proptest! {
    #[test]
    fn the_same_findings_have_the_same_chunk_whatever_the_seed_the_slices_and_the_white_space(
        findings in prop::collection::vec(crate::invented::finding("[aé]{0,40}"), 0..40),
        (random, other) in (0.0..1.0, 0.0..1.0),
        budget in 1..2000_usize,
        is_projected in any::<bool>(),
    ) {
        let chunk_of = |body: String, random: f64, budget: usize| {
            let mut dictionary = Dictionary::new(Some(rust_number), HashSeed::new(random));
            dictionary.columns = is_projected.then(|| Rc::new(b"a\xff".to_vec()));
            let mut decoder = Decoder::new(body.into_bytes(), dictionary);
            while !decoder.advance(budget).unwrap() {}
            decoder.finish().findings.unwrap()
        };
        let findings: Vec<_> = findings.iter().map(ToString::to_string).collect();
        let body = format!(r#"{{"Findings":[{}],"errors":null}}"#, findings.join(","));
        let spaced = format!("\u{feff} {{\"errors\" : null, \"Findings\":\n[ {} ] }}\n", findings.join(" ,\n"));
        let chunk = chunk_of(body, random, usize::MAX);
        prop_assert!(chunk.bytes() == chunk_of(spaced, other, budget).bytes());
    }
}
