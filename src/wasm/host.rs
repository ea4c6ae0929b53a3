//! What the shell asks of its JavaScript side.

use js_sys::{Array, Float64Array, Promise};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// One call's JavaScript side. Every promise it gives settles: at the latest when `stop` is called.
    #[derive(Clone)]
    pub type Host;

    /// The text of an output, or both ends of one of more than `limit` code points.
    #[wasm_bindgen(method, structural, catch)]
    pub fn output(
        this: &Host,
        message: u32,
        block: u32,
        limit: u32,
    ) -> Result<Option<String>, JsValue>;

    /// The id of the block at a place, as a marker writes it.
    #[wasm_bindgen(method, structural, catch, js_name = escapedId)]
    pub fn escaped_id(this: &Host, message: u32, block: u32) -> Result<String, JsValue>;

    /// The plain data of the request's other fields, given as JSON text.
    #[wasm_bindgen(method, structural, catch)]
    pub fn settings(this: &Host, rest: &str) -> Result<JsValue, JsValue>;

    /// The host's own redaction.
    #[wasm_bindgen(method, structural, catch)]
    pub fn redact(this: &Host, text: &str, part: &str) -> Result<String, JsValue>;

    /// The requests that will be asked, and how long they may take altogether.
    #[wasm_bindgen(method, structural, catch)]
    pub fn begin(this: &Host, requests: &Array, total_milliseconds: f64) -> Result<(), JsValue>;

    /// Starts one attempt of a request; it fails when it takes too long.
    #[wasm_bindgen(method, structural)]
    pub fn ask(this: &Host, batch: u32, attempt: u32) -> Promise<Float64Array, Failure>;

    /// Tells that a request is answered.
    #[wasm_bindgen(method, structural, catch)]
    pub fn answered(this: &Host, batch: u32) -> Result<(), JsValue>;

    /// Waits; resolves with false when the wait was cut short by `stop`.
    #[wasm_bindgen(method, structural)]
    pub fn sleep(this: &Host, milliseconds: f64) -> Promise;

    /// Resolves with true when the host's signal fires, with false at `stop`.
    #[wasm_bindgen(method, structural)]
    pub fn aborted(this: &Host) -> Promise;

    /// Milliseconds left of the total timeout.
    #[wasm_bindgen(method, structural)]
    pub fn remaining(this: &Host) -> f64;

    /// Ends everything that is still in flight.
    #[wasm_bindgen(method, structural)]
    pub fn stop(this: &Host, reason: &JsValue);

    /// Why an attempt failed.
    pub type Failure;

    /// Whether another attempt may help.
    #[wasm_bindgen(method, structural, getter)]
    pub fn retryable(this: &Failure) -> bool;

    /// What the provider asks to wait, in milliseconds; 0 for nothing.
    #[wasm_bindgen(method, structural, getter, js_name = retryAfter)]
    pub fn retry_after(this: &Failure) -> f64;

    /// The error to reject with.
    #[wasm_bindgen(method, structural, getter)]
    pub fn error(this: &Failure) -> JsValue;
}
