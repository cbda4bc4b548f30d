//! Whether an attempt that failed is tried again, and when: plain arithmetic, with chance and time as arguments.

use std::cell::Cell;
use std::time::{Duration, UNIX_EPOCH};

/// The first backoff is drawn from 0 to this, in milliseconds; each further one from twice the range.
pub(crate) const BACKOFF_BASE: f64 = 300.0;

/// No backoff is drawn from more than 0 to this, in milliseconds.
pub(crate) const BACKOFF_CAP: f64 = 20_000.0;

/// What a client has for retries at first, and at most.
pub(crate) const RETRY_TOKENS: u32 = 500;

/// What a retry takes of it, and gives back where it is a success.
pub(crate) const RETRY_COST: u32 = 5;

/// What a success at the first attempt gives back.
pub(crate) const FIRST_SUCCESS: u32 = 1;

/// What a caller allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Policy {
    /// Retries per request after the first attempt.
    pub(crate) retries: u32,
    /// The longest `Retry-After` that is waited for, in milliseconds.
    pub(crate) max_retry_after: f64,
}

/// What is known after an attempt has failed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Situation {
    /// Attempts made so far, this one included.
    pub(crate) attempts: u32,
    /// What the service asked for in `Retry-After`, in milliseconds.
    pub(crate) retry_after: Option<f64>,
    /// What is left of the call's `totalTimeout`, in milliseconds.
    pub(crate) remaining: Option<f64>,
    /// A random number from 0 up to 1.
    pub(crate) random: f64,
}

/// What is waited for before the next attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Wait {
    /// So many milliseconds, or until the way to the service is known to be open again.
    BackOff(f64),
    /// So many milliseconds, as the service asked for.
    RetryAfter(f64),
}

/// What the calls of one client have left for retries, so that a service that is down is not asked ever more often.
#[derive(Debug)]
pub(crate) struct RetryBudget {
    tokens: Cell<u32>,
}

impl Default for RetryBudget {
    fn default() -> Self {
        RetryBudget { tokens: Cell::new(RETRY_TOKENS) }
    }
}

impl RetryBudget {
    /// Takes what a retry costs, if it is there.
    pub(crate) fn take(&self) -> bool {
        let left = self.tokens.get().checked_sub(RETRY_COST);
        self.tokens.set(left.unwrap_or(self.tokens.get()));
        left.is_some()
    }

    /// Gives back for a success at that attempt.
    pub(crate) fn give_back(&self, attempt: u32) {
        let given = if attempt > 1 { RETRY_COST } else { FIRST_SUCCESS };
        self.tokens.update(|tokens| (tokens + given).min(RETRY_TOKENS));
    }
}

impl Policy {
    /// The wait after a failure that may be retried at all, or `None` where it stands.
    pub(crate) fn wait_after(&self, situation: Situation) -> Option<Wait> {
        if situation.attempts > self.retries {
            return None;
        }
        match situation.retry_after {
            None => Some(Wait::BackOff(backoff(situation.attempts, situation.random))),
            Some(wait) if !self.honours(wait) => None,
            Some(wait) if situation.remaining.is_some_and(|left| wait >= left) => None,
            Some(wait) => Some(Wait::RetryAfter(wait)),
        }
    }

    /// Whether a `Retry-After` of that many milliseconds is waited for.
    pub(crate) fn honours(&self, retry_after: f64) -> bool {
        retry_after <= self.max_retry_after
    }
}

/// Whether a status says that the same request may succeed later.
pub(crate) fn is_transient(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502 | 503 | 504)
}

/// Full jitter: anything from nothing to the exponentially growing limit, in milliseconds.
pub(crate) fn backoff(attempts: u32, chance: f64) -> f64 {
    let doublings = attempts.saturating_sub(1).min(16);
    chance * (BACKOFF_BASE * f64::from(1u32 << doublings)).min(BACKOFF_CAP)
}

/// The milliseconds that a `Retry-After` header asks for: a number of seconds, or a date of HTTP seen from
/// `now` (milliseconds since 1970). `None` where it is neither.
pub(crate) fn parse_retry_after(header: &str, now: f64) -> Option<f64> {
    let header = header.trim();
    if !header.is_empty() && header.bytes().all(|byte| byte.is_ascii_digit()) {
        // So many that they do not fit are longer than anybody waits.
        return Some(header.parse::<u64>().map_or(f64::INFINITY, |seconds| seconds as f64 * 1000.0));
    }
    let date = httpdate::parse_http_date(header).ok()?;
    let since_1970 = date.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    Some((since_1970.as_secs_f64() * 1000.0 - now).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const POLICY: Policy = Policy { retries: 3, max_retry_after: 60_000.0 };

    fn after(attempts: u32) -> Situation {
        Situation { attempts, retry_after: None, remaining: None, random: 0.5 }
    }

    #[test]
    fn a_request_has_one_attempt_and_the_retries_allowed() {
        assert!(matches!(POLICY.wait_after(after(3)), Some(Wait::BackOff(_))));
        assert_eq!(POLICY.wait_after(after(4)), None);
        let never = Policy { retries: 0, ..POLICY };
        assert_eq!(never.wait_after(after(1)), None);
    }

    #[test]
    fn a_hundred_retries_without_success_use_up_the_budget() {
        let budget = RetryBudget::default();
        assert_eq!((0..1000).filter(|_| budget.take()).count(), 100);
    }

    #[test]
    fn a_successful_retry_gives_back_its_cost_and_a_first_success_a_fifth_of_it() {
        let budget = RetryBudget::default();
        while budget.take() {}
        (0..4).for_each(|_| budget.give_back(1));
        assert!(!budget.take());
        budget.give_back(1);
        assert!(budget.take() && !budget.take());
        budget.give_back(2);
        assert!(budget.take() && !budget.take());
    }

    #[test]
    fn successes_never_fill_the_budget_above_what_it_was_at_first() {
        let budget = RetryBudget::default();
        (0..1000).for_each(|_| budget.give_back(3));
        assert_eq!((0..1000).filter(|_| budget.take()).count(), 100);
    }

    #[test]
    fn backoff_doubles_from_the_base_up_to_the_cap() {
        let highest: Vec<f64> = (1..=8).map(|attempts| backoff(attempts, 1.0)).collect();
        assert_eq!(highest, [300.0, 600.0, 1200.0, 2400.0, 4800.0, 9600.0, 19_200.0, 20_000.0]);
        assert_eq!(backoff(u32::MAX, 1.0), 20_000.0);
        assert_eq!(backoff(0, 1.0), 300.0);
    }

    #[test]
    fn retry_after_wins_over_backoff() {
        let asked = Situation { retry_after: Some(7_000.0), ..after(1) };
        assert_eq!(POLICY.wait_after(asked), Some(Wait::RetryAfter(7_000.0)));
    }

    #[test]
    fn a_retry_after_longer_than_allowed_fails_at_once() {
        let asked = Situation { retry_after: Some(60_001.0), ..after(1) };
        assert_eq!(POLICY.wait_after(asked), None);
        let longest = Situation { retry_after: Some(60_000.0), ..after(1) };
        assert_eq!(POLICY.wait_after(longest), Some(Wait::RetryAfter(60_000.0)));
    }

    #[test]
    fn a_retry_after_past_the_total_timeout_fails_at_once() {
        let asked = Situation { retry_after: Some(5_000.0), remaining: Some(4_000.0), ..after(1) };
        assert_eq!(POLICY.wait_after(asked), None);
        let in_time = Situation { remaining: Some(6_000.0), ..asked };
        assert_eq!(POLICY.wait_after(in_time), Some(Wait::RetryAfter(5_000.0)));
    }

    #[test]
    fn only_passing_troubles_of_the_service_are_transient() {
        let transient: Vec<u16> = (100..600).filter(|&status| is_transient(status)).collect();
        assert_eq!(transient, [408, 429, 500, 502, 503, 504]);
    }

    #[test]
    fn retry_after_is_read_as_seconds_or_as_a_date() {
        let now = 784_111_777_000.0; // Sun, 06 Nov 1994 08:49:37 GMT
        assert_eq!(parse_retry_after("120", now), Some(120_000.0));
        assert_eq!(parse_retry_after(" 0 ", now), Some(0.0));
        assert_eq!(parse_retry_after("99999999999999999999", now), Some(f64::INFINITY));
        assert_eq!(parse_retry_after("Sun, 06 Nov 1994 08:50:07 GMT", now), Some(30_000.0));
        assert_eq!(parse_retry_after("Sun, 06 Nov 1994 08:00:00 GMT", now), Some(0.0));
        for nonsense in ["", "-1", "1.5", "soon", "1e3", "NaN", "Infinity", "0x10"] {
            assert_eq!(parse_retry_after(nonsense, now), None, "{nonsense}");
        }
    }

    proptest! {
        #[test]
        fn a_backoff_is_never_negative_and_never_above_the_cap(attempts: u32, chance in 0.0..1.0) {
            prop_assert!((0.0..=BACKOFF_CAP).contains(&backoff(attempts, chance)));
        }

        #[test]
        fn no_header_text_confuses_the_reading_of_retry_after(header: String, now in 0.0..4e12) {
            if let Some(wait) = parse_retry_after(&header, now) {
                prop_assert!(wait >= 0.0);
            }
        }
    }
}
