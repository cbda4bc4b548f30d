//! Turns the body of a partition into a chunk or into rows: in slices between which the thread is yielded, or in a worker.

use std::mem;
use std::rc::Rc;

use crate::chunk::Chunk;
use crate::decode::{DecodeError, DecodedBody, Decoder};
use crate::hash::HashSeed;
use crate::memory::{OutOfMemory, resize_bytes};
use crate::rows::packed_rows::RowPacker;
use crate::value::dictionary::Dictionary;
use crate::value::number_interner::ReadNumber;

use crate::form::{Form, Formed};

/// Why a body cannot become columns.
pub enum DecodeFailure {
    /// It does not follow the contract of the service, or memory ran out.
    Undecodable(DecodeError),
    /// It has `errors`: these messages, and the findings besides them.
    Service(Vec<String>, Option<Rc<Chunk>>),
}

/// The decoding of a body into the form of a call.
pub struct Decoding {
    step: Step,
    form: Form,
}

enum Step {
    Body(Box<Decoder>),
    Rows(Box<RowPacker>),
    Done,
}

impl Decoding {
    /// Starts with a body. Keeps only `columns`.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn start(
        body: Vec<u8>,
        columns: Option<&[u8]>,
        read: ReadNumber,
        seed: HashSeed,
        form: Form,
    ) -> Result<Self, OutOfMemory> {
        let mut dictionary = Dictionary::new(Some(read), seed);
        dictionary.keep_only(columns)?;
        Ok(Decoding::new(body, dictionary, form))
    }

    fn new(body: Vec<u8>, dictionary: Dictionary, form: Form) -> Self {
        Decoding { step: Step::Body(Box::new(Decoder::new(body, dictionary))), form }
    }

    /// Decodes about `budget` bytes more, or packs some rows. Returns how it ends, once it does.
    pub fn advance(&mut self, budget: usize) -> Option<Result<Formed, DecodeFailure>> {
        let is_done = match &mut self.step {
            Step::Body(decoder) => decoder.advance(budget),
            Step::Rows(packer) => packer.advance().map_err(undecoded),
            Step::Done => return None,
        };
        match is_done {
            Ok(false) => return None,
            Ok(true) => {}
            Err(error) => return Some(Err(DecodeFailure::Undecodable(error))),
        }
        match mem::replace(&mut self.step, Step::Done) {
            Step::Body(decoder) => {
                let DecodedBody { errors, findings, .. } = decoder.finish();
                match (errors, findings.map(Rc::new), self.form) {
                    (Some(messages), findings, _) => Some(Err(DecodeFailure::Service(messages, findings.ok()))),
                    (None, Err(error), _) => Some(Err(DecodeFailure::Undecodable(error))),
                    #[cfg(feature = "tables")]
                    (None, Ok(chunk), Form::Chunk) => Some(Ok(Formed::Chunk(chunk))),
                    (None, Ok(chunk), Form::Rows) => {
                        self.step = Step::Rows(Box::new(RowPacker::new(chunk)));
                        None
                    }
                }
            }
            Step::Rows(packer) => Some(Ok(Formed::Rows(packer.finish()))),
            Step::Done => None,
        }
    }
}

fn undecoded(OutOfMemory: OutOfMemory) -> DecodeError {
    DecodeError::out_of_memory()
}

/// Packs the findings of one body for the page.
pub enum Packing {
    /// The body, which is being filled.
    Filling {
        /// Its bytes.
        body: Vec<u8>,
        /// The seed of the hashes of its values.
        seed: HashSeed,
        /// The form of the findings.
        form: Form,
    },
    /// The body is being decoded.
    Decoding(Decoding),
    /// The findings; `None` if the page has to decode the body and find the error.
    Done(Option<Formed>),
}

impl Packing {
    /// Begins with a body of this length.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn new(length: usize, seed: HashSeed, form: Form) -> Result<Self, OutOfMemory> {
        let mut body = Vec::new();
        resize_bytes(&mut body, length)?;
        Ok(Packing::Filling { body, seed, form })
    }

    /// The bytes of the body, which are to be filled.
    pub fn body_mut(&mut self) -> &mut [u8] {
        match self {
            Packing::Filling { body, .. } => body,
            _ => &mut [],
        }
    }

    /// Starts to decode the filled body. If the findings keep only some columns, their names begin at the offset `names`, behind the body.
    pub fn start(&mut self, names: Option<usize>) {
        let Packing::Filling { body, seed, form } = self else { return };
        let mut dictionary = Dictionary::new(None, seed.clone());
        let is_ready = dictionary.keep_only(names.and_then(|names| body.get(names..))).is_ok();
        body.truncate(names.unwrap_or(body.len()));
        let decoding = Decoding::new(mem::take(body), dictionary, *form);
        *self = if is_ready { Packing::Decoding(decoding) } else { Packing::Done(None) };
    }

    /// Decodes some more. Returns true once the findings are packed.
    pub fn advance(&mut self, budget: usize) -> bool {
        self.start(None);
        let Packing::Decoding(decoding) = self else { return true };
        let Some(end) = decoding.advance(budget) else { return false };
        *self = Packing::Done(end.ok());
        true
    }

    /// Returns the bytes of the packed findings.
    pub fn packed(&self) -> Option<&[u8]> {
        match self {
            #[cfg(feature = "tables")]
            Packing::Done(Some(Formed::Chunk(chunk))) => Some(chunk.bytes()),
            Packing::Done(Some(Formed::Rows(rows))) => Some(rows),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::form_of;

    #[test]
    fn a_worker_gives_a_body_back_whose_number_only_the_host_can_parse() {
        let packed = |number: &str| {
            let body = format!(r#"{{"Findings":[{{"n":{number}}}]}}"#);
            let mut packing = Packing::new(body.len(), HashSeed::default(), form_of(false)).unwrap();
            packing.body_mut().copy_from_slice(body.as_bytes());
            while !packing.advance(1000) {}
            packing.packed().is_some()
        };
        assert_eq!(
            ["4.35", "-1.2345678901234567e-5", "1e400", "0.123456789012345678901"].map(packed),
            [true, true, false, false]
        );
    }
}
