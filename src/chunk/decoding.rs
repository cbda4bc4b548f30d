//! The decoding of the body of a partition into a chunk or into rows: in slices between which the thread is yielded, in the page or in a worker.

use std::mem;
use std::rc::Rc;

use crate::decode::{DecodeError, DecodedBody, Decoder};
use crate::form::{Form, Formed};
use crate::memory::OutOfMemory;
use crate::rows::packed_rows::RowPacker;
use crate::value::dictionary::Dictionary;

/// The decoding of a body into the form of a call.
pub struct Decoding {
    step: Step,
    form: Form,
    /// The messages in `errors`: then the findings become rows in any form.
    pub messages: Option<Vec<String>>,
}

enum Step {
    Body(Box<Decoder>),
    Rows(Box<RowPacker>),
    Done,
}

impl Decoding {
    /// The decoding of a body. The dictionary is empty, and says which columns to keep.
    pub fn new(body: Vec<u8>, dictionary: Dictionary, form: Form) -> Self {
        Decoding { step: Step::Body(Box::new(Decoder::new(body, dictionary))), form, messages: None }
    }

    /// The decoder, until the body is decoded.
    pub fn decoder(&mut self) -> Option<&mut Decoder> {
        match &mut self.step {
            Step::Body(decoder) => Some(decoder),
            Step::Rows(_) | Step::Done => None,
        }
    }

    /// Decodes about `budget` bytes more, or packs some rows. Returns the findings once they are there.
    ///
    /// # Errors
    ///
    /// It does not follow the contract of the service, or memory ran out; if it has messages, there are no findings besides them.
    pub fn advance(&mut self, budget: usize) -> Result<Option<Formed>, DecodeError> {
        let is_done = match &mut self.step {
            Step::Body(decoder) => decoder.advance(budget)?,
            Step::Rows(packer) => packer.advance().map_err(|OutOfMemory| DecodeError::out_of_memory())?,
            Step::Done => false,
        };
        if !is_done {
            return Ok(None);
        }
        match mem::replace(&mut self.step, Step::Done) {
            Step::Body(decoder) => {
                let DecodedBody { errors, findings } = decoder.finish();
                self.messages = errors;
                let chunk = Rc::new(findings?);
                match self.form {
                    #[cfg(feature = "tables")]
                    Form::Chunk if self.messages.is_none() => return Ok(Some(Formed::Chunk(chunk))),
                    _ => self.step = Step::Rows(Box::new(RowPacker::new(chunk))),
                }
                Ok(None)
            }
            Step::Rows(packer) => Ok(Some(Formed::Rows(packer.finish()))),
            Step::Done => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::form_of;
    use crate::hash::HashSeed;

    #[test]
    fn a_worker_gives_a_body_back_whose_number_only_the_host_can_parse() {
        let decoded = |number: &str| {
            let body = format!(r#"{{"Findings":[{{"n":{number}}}]}}"#).into_bytes();
            let mut decoding = Decoding::new(body, Dictionary::new(None, HashSeed::default()), form_of(false));
            loop {
                match decoding.advance(1000) {
                    Ok(None) => {}
                    end => return end.is_ok(),
                }
            }
        };
        assert_eq!(
            ["4.35", "-1.2345678901234567e-5", "1e400", "0.123456789012345678901"].map(decoded),
            [true, true, false, false]
        );
    }
}
