//! The HTTP API: every route on one page ([`mod@router`]), one error conversion ([`problem`]), a folder per resource.
//!
//! [`router()`] makes the whole service out of an [`ApiState`]; [`openapi()`] is the document that describes it. Serve the router
//! with `into_make_service_with_connect_info::<SocketAddr>()`: the loopback default tenant looks at the peer's
//! address. On shutdown cancel [`ApiState::shutdown`] first, so that open streams end.
//!
//! The way of a request, from the outside in: custom verbs are rewritten to routes (`layers::verbs`), ids and
//! problem bodies are written (`layers::envelope`), requests are measured and panics caught (`layers::measure`),
//! refused bodies are read on so that the sender sees the answer (`layers::linger`), the Host is checked
//! (`layers::host`), a place is taken (`layers::places`); then `extract` reads tenant, path, query and body, and
//! a file of `resources` answers.

#![warn(missing_docs)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod extract;
mod layers;
pub mod openapi;
pub mod problem;
mod resources;
mod router;
mod routes;
mod state;
mod stream;
mod wire;

pub use openapi::openapi;
pub use router::router;
pub use state::{ApiSettings, ApiState, BuildInfo, DefaultHome};
