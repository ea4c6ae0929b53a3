//! The shell: what JavaScript calls, and the loop that calls JavaScript. No rule of the product lives here.
//!
//! A [`Session`] is one history on its way through the core. Nothing of it is borrowed while a promise is awaited.

mod convert;
mod flat;
mod host;
mod run;

use std::cell::RefCell;

use js_sys::{Array, Promise};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsError, JsValue};

use crate::decide::{Action, Answer};
use crate::document::Document;
use crate::driver::Compaction;
use crate::error::Error;
use crate::local::{Factor, LONGEST_OUTPUT, Point, SuggestedCut, ends};
use crate::marker;
use crate::message::{Place, Snapshot};
use crate::options::{Language, Settings};
use crate::outcome::Outcome;
use crate::question::{self, Limits};
use crate::request::Manner;
use crate::view::{Part, Redaction};

use convert::{fault, outcome_to_js, requests_to_js, settings_from_js};
use host::Host;
use run::Pace;

/// Words by the numbers that stand for them: actions, reasons, factors of the embedded model, each joined by commas.
#[wasm_bindgen]
pub fn vocabulary() -> String {
    let actions = convert::ACTIONS.map(Action::as_str).join(",");
    let reasons = convert::REASONS.map(|reason| reason.as_str()).join(",");
    let factors = Factor::ALL.map(Factor::as_str).join(",");
    [actions, reasons, factors].join("\n")
}

/// Templates of the call question, the result question and the marker, joined by line feeds.
#[wasm_bindgen]
pub fn templates(chinese: bool) -> String {
    let language = language(chinese);
    let [call, result] = question::templates(language);
    [call, result, marker::template(language)].join("\n")
}

const fn language(chinese: bool) -> Language {
    if chinese {
        Language::Chinese
    } else {
        Language::English
    }
}

/// How the model is asked.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Asking {
    language: Language,
    /// 0 off, 1 built in, 2 the host's own.
    redaction: u8,
    limits: Limits,
}

#[wasm_bindgen]
impl Asking {
    /// Language, redaction and what the model itself allows.
    #[wasm_bindgen(constructor)]
    pub fn new(
        chinese: bool,
        redaction: u8,
        max_questions: Option<u32>,
        max_request_tokens: Option<u32>,
    ) -> Self {
        Self {
            language: language(chinese),
            redaction,
            limits: Limits {
                max_questions,
                max_request_tokens,
            },
        }
    }
}

/// Where a history comes from.
enum Source {
    Flat { numbers: Vec<u32>, text: String },
    Json(Document<String>),
}

/// One request.
#[wasm_bindgen]
#[allow(missing_debug_implementations, reason = "it never leaves the shell")]
pub struct Session {
    source: Source,
    settings: Settings,
    host: Host,
}

#[wasm_bindgen]
impl Session {
    /// A history as numbers and one text, see [`flat`].
    #[wasm_bindgen(js_name = fromFlat)]
    pub fn from_flat(
        numbers: Vec<u32>,
        text: String,
        settings: &JsValue,
        host: Host,
    ) -> Result<Self, JsValue> {
        let settings = settings_from_js(settings)?;
        Ok(Self {
            source: Source::Flat { numbers, text },
            settings,
            host,
        })
    }

    /// A request as JSON text; the host parses what is not a message.
    #[wasm_bindgen(js_name = fromJson)]
    pub fn from_json(text: String, host: Host) -> Result<Self, JsValue> {
        let document = Document::parse(text).map_err(|error| fault(&error))?;
        let settings = settings_from_js(&host.settings(document.rest())?)?;
        Ok(Self {
            source: Source::Json(document),
            settings,
            host,
        })
    }

    /// Asks the decision model; resolves with the outcome.
    pub fn compact(
        self,
        asking: &Asking,
        max_retries: u32,
        retry_delay_ms: f64,
    ) -> Result<Promise, JsValue> {
        let compaction = self.compaction(asking)?;
        let session = self.without_history();
        let pace = Pace {
            max_retries,
            retry_delay_ms,
            total_ms: session.settings.options.total_timeout_seconds * 1000.0,
        };
        session
            .host
            .begin(&requests_to_js(compaction.requests()), pace.total_ms)?;
        let language = asking.language;
        Ok(wasm_bindgen_futures::future_to_promise(async move {
            let compaction = run::run(compaction, &session.host, pace).await?;
            session
                .result(&compaction.outcome(), language, Some(compaction.requests()))
                .map(JsValue::from)
        }))
    }

    /// What would be asked, without asking.
    pub fn inspect(&self, asking: &Asking) -> Result<Array, JsValue> {
        Ok(requests_to_js(self.compaction(asking)?.requests()))
    }

    /// Decides with the embedded model; `manner` is the number of the point, + 8 for cuts of its own.
    pub fn local(&self, manner: u8, chinese: bool) -> Result<Array, JsValue> {
        let point = match manner & 7 {
            0 => Point::Careful,
            1 => Point::Balanced,
            2 => Point::Firm,
            _ => Point::Study,
        };
        let snapshot = self.snapshot()?;
        let outcome = snapshot.decide_locally(
            &self.settings,
            language(chinese),
            point,
            manner & 8 != 0,
            |place| self.output(place),
        )?;
        self.result(&outcome, language(chinese), None)
    }

    /// Decides with known answers: position of the pair, call and result probability, both ends of a cut of its own; NaN where
    /// there is none.
    pub fn decide(&self, answers: &[f64], chinese: bool) -> Result<Array, JsValue> {
        let snapshot = self.snapshot()?;
        let given = |value: f64| Some(value).filter(|value| !value.is_nan());
        // No pair has a higher position than there are blocks; the caller is told of answers that name none.
        let mut by_position: Vec<Option<Answer>> = vec![None; snapshot.blocks.len()];
        for answer in answers.chunks_exact(5) {
            if let &[position, call, result, head, tail] = answer
                && let Some(slot) = by_position.get_mut(position as usize)
            {
                let cut = given(head)
                    .zip(given(tail))
                    .map(|(head, tail)| SuggestedCut {
                        head: head as u32,
                        tail: tail as u32,
                    });
                *slot = given(call).map(|call| Answer {
                    cut,
                    ..Answer::new(call, given(result))
                });
            }
        }
        let answer = |position: u32| by_position.get(position as usize).copied().flatten();
        let outcome = snapshot.decide(&self.settings.options, language(chinese), answer);
        self.result(&outcome, language(chinese), None)
    }

    /// The blocks that go when the pairs at these positions do: message and block of each, in order.
    pub fn removal(&self, positions: &[u32]) -> Result<Vec<u32>, JsValue> {
        let removal = self.snapshot()?.removal(&self.settings.options, positions);
        Ok(removal
            .blocks
            .iter()
            .flat_map(|place| [place.message, place.block])
            .collect())
    }
}

impl Session {
    /// Lets go of what is not needed while answers are awaited.
    fn without_history(self) -> Self {
        match self.source {
            Source::Flat { .. } => Self {
                source: Source::Flat {
                    numbers: Vec::new(),
                    text: String::new(),
                },
                ..self
            },
            Source::Json(_) => self,
        }
    }

    fn snapshot(&self) -> Result<Snapshot<'_>, JsValue> {
        match &self.source {
            Source::Flat { numbers, text } => {
                let mut snapshot = flat::read(numbers, text)
                    .ok_or_else(|| JsError::new("keepline: the flat history is malformed"))?;
                flat::find_markers(&mut snapshot, &self.host)?;
                Ok(snapshot)
            }
            Source::Json(document) => Ok(document.snapshot(&self.settings)),
        }
    }

    /// An output as the local model reads it.
    fn output(&self, place: Place) -> Result<Option<String>, JsValue> {
        match &self.source {
            Source::Flat { .. } => {
                self.host
                    .output(place.message, place.block, LONGEST_OUTPUT as u32)
            }
            Source::Json(document) => {
                Ok(document.output(place).map(|text| ends(&text).into_owned()))
            }
        }
    }

    fn compaction(&self, asking: &Asking) -> Result<Compaction, JsValue> {
        let thrown = RefCell::new(None);
        let own = |text: &str, part: Part| {
            self.host.redact(text, part.as_str()).map_err(|error| {
                *thrown.borrow_mut() = Some(error);
                Error::invalid("runtime.redact", "runtime.redact failed")
            })
        };
        let redaction = match asking.redaction {
            0 => Redaction::Off,
            1 => Redaction::BuiltIn,
            _ => Redaction::Own(&own),
        };
        let manner = Manner {
            language: asking.language,
            redaction,
            limits: asking.limits,
        };
        let prepared = self.snapshot()?.compaction(&self.settings, &manner);
        prepared.map_err(|error| thrown.take().unwrap_or_else(|| fault(&error)))
    }

    fn result(
        &self,
        outcome: &Outcome,
        language: Language,
        requests: Option<&crate::Requests>,
    ) -> Result<Array, JsValue> {
        let result = outcome_to_js(outcome, requests)?;
        if let Source::Json(document) = &self.source {
            let splices = document.splices(outcome, &self.settings, language);
            result.push(&convert::splices_to_js(document, outcome, &splices));
        }
        Ok(result)
    }
}
