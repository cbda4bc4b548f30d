//! The promises of the calls of a client, each as a list of events.

mod bodies;
mod credentials;
mod earlier;
mod endings;
mod limits;
mod reports;
mod retries;
mod streams;
mod workers;
