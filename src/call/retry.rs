//! Whether a failed attempt is retried, and when: pure arithmetic that takes the time and random numbers as arguments.

/// The upper bound of the first backoff, in milliseconds; it doubles with each retry.
pub(crate) const BACKOFF_BASE: f64 = 300.0;

/// The upper bound of any backoff, in milliseconds.
pub(crate) const BACKOFF_CAP: f64 = 20_000.0;

/// The tokens of a full retry budget.
pub(crate) const RETRY_TOKENS: u32 = 500;

/// The tokens that a retry costs, and returns if it succeeds.
pub(crate) const RETRY_COST: u32 = 5;

/// The tokens that a success at the first attempt returns.
pub(crate) const FIRST_SUCCESS: u32 = 1;

/// The retry options of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// Retries per request after the first attempt.
    pub retries: u32,
    /// The longest `Retry-After` to wait for, in milliseconds.
    pub max_retry_after: f64,
}

/// The wait before the next attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wait {
    /// Its milliseconds.
    pub milliseconds: f64,
    /// Whether it ends once the host is online again: a backoff does, a `Retry-After` does not.
    pub(crate) may_end_early: bool,
}

/// Why a transient error is not retried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NoRetry {
    /// No retry of the option is left.
    Exhausted,
    /// The service asked to wait for this many milliseconds, which exceeds `maxRetryAfter`.
    ExceedsMaxRetryAfter(f64),
    /// The service asked to wait for this many milliseconds, which exceeds the rest of `totalTimeout`.
    ExceedsTotalTimeout(f64),
}

/// The retry budget of one client. It keeps retries from multiplying the load on a service that is down.
#[derive(Debug)]
pub(crate) struct RetryBudget {
    tokens: u32,
}

impl Default for RetryBudget {
    fn default() -> Self {
        RetryBudget { tokens: RETRY_TOKENS }
    }
}

impl RetryBudget {
    /// Takes the tokens of a retry; `false` if too few are left.
    pub(crate) fn take(&mut self) -> bool {
        let left = self.tokens.checked_sub(RETRY_COST);
        self.tokens = left.unwrap_or(self.tokens);
        left.is_some()
    }

    /// Returns tokens for a success at this attempt, counted from 1.
    pub(crate) fn give_back(&mut self, attempt: u32) {
        let given = if attempt > 1 { RETRY_COST } else { FIRST_SUCCESS };
        self.tokens = (self.tokens + given).min(RETRY_TOKENS);
    }
}

impl Policy {
    /// Decides on a retry after this many attempts, of which the last had a transient error. Returns the wait before the retry, given the
    /// `Retry-After` of the response and the rest of the call's `totalTimeout`, in milliseconds. `random` is in `0.0..1.0`.
    ///
    /// # Errors
    ///
    /// Why there is no retry.
    pub(crate) fn wait_after(
        &self,
        attempts: u32,
        retry_after: Option<f64>,
        time_left: Option<f64>,
        random: f64,
    ) -> Result<Wait, NoRetry> {
        if attempts > self.retries {
            return Err(NoRetry::Exhausted);
        }
        let backoff = backoff(attempts, random);
        match retry_after {
            None => Ok(Wait { milliseconds: backoff, may_end_early: true }),
            Some(wait) if !self.honours(wait) => Err(NoRetry::ExceedsMaxRetryAfter(wait)),
            Some(wait) if time_left.is_some_and(|left| wait >= left) => Err(NoRetry::ExceedsTotalTimeout(wait)),
            // A service that asks for no wait, or whose clock is behind, must not get all retries at once.
            Some(wait) => Ok(Wait { milliseconds: spread(wait, time_left, random).max(backoff), may_end_early: false }),
        }
    }

    /// Whether a `Retry-After` of this many milliseconds is within the option.
    pub(crate) fn honours(&self, retry_after: f64) -> bool {
        retry_after <= self.max_retry_after
    }
}

/// Whether the same request may succeed later after a response with this status, which may have a `Retry-After`. Cloudflare sends 520 to 524
/// while it cannot reach a service; a firewall sends 403 to limit a rate.
pub(crate) fn is_transient(status: u16, has_retry_after: bool) -> bool {
    matches!(status, 408 | 429 | 500 | 502 | 503 | 504 | 520..=524) || (status == 403 && has_retry_after)
}

/// Adds up to a tenth to a wait that many clients were asked for, so that they spread out, but at most half of what is then left of the
/// `totalTimeout`. `random` is in `0.0..1.0`.
pub(crate) fn spread(wait: f64, time_left: Option<f64>, random: f64) -> f64 {
    let left_then = time_left.map_or(f64::INFINITY, |left| (left - wait).max(0.0));
    wait + (wait * random / 10.0).min(left_then / 2.0).floor()
}

/// The backoff after a number of attempts, in milliseconds: exponential with full jitter, so that clients spread out.
/// `random` is in `0.0..1.0`.
pub(crate) fn backoff(attempts: u32, random: f64) -> f64 {
    let doublings = attempts.saturating_sub(1).min(16);
    random * (BACKOFF_BASE * f64::from(1u32 << doublings)).min(BACKOFF_CAP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const POLICY: Policy = Policy { retries: 3, max_retry_after: 60_000.0 };

    fn asked(milliseconds: f64) -> Result<Wait, NoRetry> {
        Ok(Wait { milliseconds, may_end_early: false })
    }

    #[test]
    fn waits_for_the_backoff_or_for_a_retry_after_and_a_tenth_of_it_unless_that_is_too_long_or_no_retry_is_left() {
        let backoff_of = |attempts| Ok(Wait { milliseconds: backoff(attempts, 0.5), may_end_early: true });
        for (attempts, asked_for, left, expected) in [
            (3, None, None, backoff_of(3)),
            (4, None, None, Err(NoRetry::Exhausted)),
            (1, Some(7_000.0), None, asked(7_350.0)),
            // At least the backoff.
            (2, Some(0.0), None, asked(300.0)),
            (2, Some(100.0), None, asked(300.0)),
            (1, Some(60_000.0), None, asked(63_000.0)),
            (1, Some(60_001.0), None, Err(NoRetry::ExceedsMaxRetryAfter(60_001.0))),
            (1, Some(5_000.0), Some(4_000.0), Err(NoRetry::ExceedsTotalTimeout(5_000.0))),
            (1, Some(5_000.0), Some(6_000.0), asked(5_250.0)),
            // No more than is left.
            (1, Some(5_000.0), Some(5_100.0), asked(5_050.0)),
        ] {
            let wait = POLICY.wait_after(attempts, asked_for, left, 0.5);
            assert_eq!(wait, expected, "after {attempts} attempts, {asked_for:?}, {left:?}");
        }
        assert_eq!(POLICY.wait_after(1, Some(7_000.0), None, 0.0), asked(7_000.0));
        assert_eq!(Policy { retries: 0, ..POLICY }.wait_after(1, None, None, 0.5), Err(NoRetry::Exhausted));
    }

    #[test]
    fn exhausts_the_budget_after_a_hundred_retries_whatever_came_before_them() {
        for retries_before in [0, 1000] {
            let mut budget = RetryBudget::default();
            (0..retries_before).for_each(|_| budget.give_back(3));
            assert_eq!((0..1000).filter(|_| budget.take()).count(), 100);
        }
    }

    #[test]
    fn returns_the_cost_of_a_successful_retry_and_a_fifth_for_a_first_success() {
        let mut budget = RetryBudget::default();
        while budget.take() {}
        (0..4).for_each(|_| budget.give_back(1));
        assert!(!budget.take());
        budget.give_back(1);
        assert!(budget.take() && !budget.take());
        budget.give_back(2);
        assert!(budget.take() && !budget.take());
    }

    #[test]
    fn doubles_the_backoff_from_the_base_up_to_the_cap() {
        let highest: Vec<f64> = (1..=8).map(|attempts| backoff(attempts, 1.0)).collect();
        assert_eq!(highest, [300.0, 600.0, 1200.0, 2400.0, 4800.0, 9600.0, 19_200.0, 20_000.0]);
        assert_eq!(backoff(u32::MAX, 1.0), 20_000.0);
        assert_eq!(backoff(0, 1.0), 300.0);
    }

    #[test]
    fn treats_408_429_500_502_503_504_520_to_524_and_a_403_with_retry_after_as_transient() {
        let transient: Vec<u16> = (100..600).filter(|&status| is_transient(status, false)).collect();
        assert_eq!(transient, [408, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524]);
        let with_retry_after = (100..600).filter(|&status| is_transient(status, true) && !is_transient(status, false));
        assert_eq!(with_retry_after.collect::<Vec<u16>>(), [403]);
    }

    proptest! {
        #[test]
        fn keeps_every_backoff_between_zero_and_the_cap(attempts: u32, random in 0.0..1.0) {
            prop_assert!((0.0..=BACKOFF_CAP).contains(&backoff(attempts, random)));
        }
    }
}
