//! What lies outside of the machine, which holds it without looking at it.

/// The values of a host.
pub trait Host {
    /// A value of JavaScript: headers, a cause, what was thrown.
    type Value: Clone + Shown;
    /// What performs a call.
    type Call: Clone + Shown;
    /// What performs an attempt: its exchange, the body, and what the body has become.
    type Attempt: Clone + Shown;
}

/// Tests print all that the machine holds.
#[cfg(test)]
pub trait Shown: std::fmt::Debug {}

/// Only tests print what the machine holds.
#[cfg(not(test))]
pub trait Shown {}

#[cfg(test)]
impl<T: std::fmt::Debug> Shown for T {}

#[cfg(not(test))]
impl<T> Shown for T {}
