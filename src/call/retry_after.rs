//! The `Retry-After` header: how long to wait before the next attempt.

/// The days of the week, as HTTP dates begin.
const DAYS: [&str; 7] = ["Sun, ", "Mon, ", "Tue, ", "Wed, ", "Thu, ", "Fri, ", "Sat, "];

/// The maximum number of seconds. It exceeds every `maxRetryAfter`, and a double represents its milliseconds exactly.
const MAX_SECONDS: u64 = 1 << 40;

/// What a `Retry-After` header asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RetryAfter {
    /// To wait for this many milliseconds.
    Delay(f64),
    /// To wait until this time, in milliseconds since 1970.
    Date(f64),
}

impl RetryAfter {
    /// Parses the header: a number of seconds, or a date such as `Sun, 06 Nov 1994 08:49:37 GMT`. `parse_date` converts a date to
    /// milliseconds since 1970, or to NaN if it is invalid. `None` if the header is neither.
    pub fn parse(header: &str, parse_date: impl FnOnce(&str) -> f64) -> Option<Self> {
        let header = header.trim();
        if !header.is_empty() && header.bytes().all(|byte| byte.is_ascii_digit()) {
            let seconds = header.parse().map_or(MAX_SECONDS, |seconds: u64| seconds.min(MAX_SECONDS));
            let delay = seconds as f64 * 1000.0;
            return Some(RetryAfter::Delay(delay));
        }
        // `Date.parse` would accept other texts, such as `1.5`, as a date.
        let is_date = DAYS.iter().any(|day| header.starts_with(day)) && header.ends_with(" GMT");
        let date = if is_date { parse_date(header) } else { f64::NAN };
        (!date.is_nan()).then_some(RetryAfter::Date(date))
    }

    /// The milliseconds to wait from `now`, in milliseconds since 1970.
    pub fn wait(self, now: f64) -> f64 {
        match self {
            RetryAfter::Delay(delay) => delay,
            RetryAfter::Date(date) => (date - now).max(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

    #[test]
    fn is_a_number_of_seconds_or_a_date() {
        let parse = |header: &str| {
            RetryAfter::parse(
                header,
                |date| if date == DATE { 784_111_777_000.0 } else { panic!("{date} is asked for") },
            )
        };
        assert_eq!(parse("120"), Some(RetryAfter::Delay(120_000.0)));
        assert_eq!(parse(" 0 "), Some(RetryAfter::Delay(0.0)));
        for seconds in ["99999999999999999999", "18446744073709551615"] {
            assert_eq!(parse(seconds), Some(RetryAfter::Delay((1_u64 << 40) as f64 * 1000.0)));
        }
        assert_eq!(parse(&format!(" {DATE}")), Some(RetryAfter::Date(784_111_777_000.0)));
        let nonsense = ["", "-1", "1.5", "soon", "1e3", "NaN", "Infinity", "0x10"];
        let other_dates =
            ["Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37", "1994-11-06"];
        for header in nonsense.into_iter().chain(other_dates) {
            assert_eq!(parse(header), None, "{header}");
        }
    }

    #[test]
    fn is_nothing_if_the_host_does_not_know_the_date() {
        assert_eq!(RetryAfter::parse("Sun, 99 Nov 1994 08:49:37 GMT", |_| f64::NAN), None);
    }

    #[test]
    fn waits_for_the_delay_or_until_the_date() {
        assert_eq!(RetryAfter::Delay(7.0).wait(1_000.0), 7.0);
        assert_eq!(RetryAfter::Date(1_030.0).wait(1_000.0), 30.0);
        assert_eq!(RetryAfter::Date(970.0).wait(1_000.0), 0.0);
    }

    proptest! {
        #[test]
        fn is_no_negative_wait(header: String, date: f64, now in 0.0..4e12) {
            if let Some(retry_after) = RetryAfter::parse(&header, |_| date) {
                prop_assert!(retry_after.wait(now) >= 0.0);
            }
        }
    }
}
