//! What the body of a response that refuses a request says.

use chunk::decode::object::ObjectFields;
use chunk::decode::read_messages;
use chunk::fields::ERRORS;

/// The fields of a refusal with a text for people: those of problem details (RFC 9457), of ASP.NET, and of OAuth (RFC 6749), then the
/// service's own.
const TEXTS: [&str; 7] = ["title", "detail", "message", "Message", "error", "error_description", ERRORS];

/// Returns the messages in the beginning of a body; none if it is not a JSON object.
#[inline(never)]
pub(crate) fn messages_of(body: &[u8]) -> Vec<String> {
    let Ok(fields) = ObjectFields::read(body, TEXTS) else { return Vec::new() };
    let mut messages = Vec::new();
    for name in TEXTS {
        messages.append(&mut read_messages(fields.raw_json(name)).unwrap_or_default());
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_texts_of_problem_details_of_aspnet_and_of_oauth() {
        for (body, messages) in [
            (
                r#"{"title":"No access.","status":403,"detail":"Ask.","type":"about:blank"}"#,
                ["No access.", "Ask."].as_slice(),
            ),
            (
                r#"{"Message":"Authorization has been denied for this request."}"#,
                &["Authorization has been denied for this request."],
            ),
            (r#"{"message":"Too many."}"#, &["Too many."]),
            (
                r#"{"error":"invalid_token","error_description":"It has expired."}"#,
                &["invalid_token", "It has expired."],
            ),
            (r#"{"title":"Invalid.","errors":{"Key":["Wrong.","Long."]}}"#, &["Invalid.", "Wrong.", "Long."]),
            (r#"{"error":{"code":7,"message":"Busy."}}"#, &["Busy."]),
            (r#"{"error":{"code":7}}"#, &[r#"{"code":7}"#]),
            (r#"{"errors":["One.","Two."]}"#, &["One.", "Two."]),
            (r#"{"errors":null,"detail":null}"#, &[]),
            (r#"["One."]"#, &[]),
            ("<html>", &[]),
            ("", &[]),
        ] {
            assert_eq!(messages_of(body.as_bytes()), messages, "{body}");
        }
    }
}
