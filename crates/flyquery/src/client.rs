//! A server as the commands see it: requests with tenant and workspace, answers or a problem a person can act on.

mod follow;
mod session;
mod sse;
mod upload;
mod wire;

use std::time::Duration;

use reqwest::{Method, StatusCode, header};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{CliError, chain};
use crate::settings::Settings;

pub use follow::{StreamEvent, follow};
pub use session::Session;
pub use upload::Uploaded;
use wire::Version;
pub use wire::{Dataset, Job, Problem, Rows, SchemaObject, SearchHit, SqlAnswer, SqlColumn};

/// How long a connection may take to stand.
const CONNECT: Duration = Duration::from_secs(5);
/// How long a server may take to answer a short request.
const ANSWER: Duration = Duration::from_mins(1);

/// A server.
#[derive(Clone, Debug)]
pub struct Server {
    base: String,
    http: reqwest::Client,
}

impl Server {
    /// A client for the server at `base`, acting for the tenant and workspace of the settings.
    pub fn new(base: &str, settings: &Settings) -> Result<Self, CliError> {
        let unusable = |what: &str| CliError::Usage(format!("cannot use {what} as a request header"));
        let mut headers = header::HeaderMap::new();
        if let Some(tenant) = &settings.client.tenant {
            let value = header::HeaderValue::from_str(tenant.as_str()).map_err(|_| unusable("the tenant"))?;
            headers.insert("x-tenant-id", value);
        }
        if let Some(workspace) = &settings.client.workspace {
            let value = header::HeaderValue::from_str(workspace).map_err(|_| unusable("the workspace"))?;
            headers.insert("x-workspace-id", value);
        }
        let mut builder = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .default_headers(headers)
            .user_agent(concat!("flyquery/", env!("CARGO_PKG_VERSION")));
        if is_loopback(base) {
            // A proxy can't reach a server of this machine.
            builder = builder.no_proxy();
        }
        let http = builder.build().map_err(|e| CliError::Home(format!("cannot make an HTTP client: {}", chain(&e))))?;
        Ok(Self { base: base.trim_end_matches('/').to_owned(), http })
    }

    /// Where the server is.
    pub fn url(&self) -> &str {
        &self.base
    }

    /// A request to a path below `/api/v1`.
    fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, format!("{}/api/v1{path}", self.base))
    }

    /// Sends a request and reads its answer.
    async fn answer<T: DeserializeOwned>(&self, request: reqwest::RequestBuilder) -> Result<T, CliError> {
        let response = request.send().await.map_err(|e| self.unreachable(&e))?;
        let status = response.status();
        let bytes = response.bytes().await.map_err(|e| self.unreachable(&e))?;
        if !status.is_success() {
            return Err(CliError::Refused(Box::new(Problem::read(status, &bytes))));
        }
        serde_json::from_slice(&bytes).map_err(|e| {
            CliError::Strange(format!("{} does not answer as a flyquery server of this version: {e}", self.base))
        })
    }

    /// Reads a resource.
    pub async fn get<T: DeserializeOwned>(&self, path: &str, query: &[(&str, String)]) -> Result<T, CliError> {
        self.answer(self.request(Method::GET, path).query(query).timeout(ANSWER)).await
    }

    /// Sends a JSON body; waits as long as the server takes.
    pub async fn post<T: DeserializeOwned>(&self, path: &str, body: &Value) -> Result<T, CliError> {
        self.answer(self.request(Method::POST, path).json(body)).await
    }

    /// Whether a flyquery server answers there.
    pub async fn greet(&self) -> Result<(), CliError> {
        let Version { name, version } = self.answer(self.request(Method::GET, "/version").timeout(CONNECT)).await?;
        if name != "flyquery" {
            return Err(CliError::Strange(format!("{} is served by {name}, which is not flyquery", self.base)));
        }
        tracing::debug!(server = %self.base, version, "a server answers");
        Ok(())
    }

    /// The dataset of a name.
    pub async fn dataset(&self, name: &str) -> Result<Dataset, CliError> {
        self.get(&format!("/datasets/by-name/{}", encode(name)), &[]).await
    }

    /// The dataset of a name, made when it is missing.
    pub async fn ensure_dataset(&self, name: &str) -> Result<Dataset, CliError> {
        match self.dataset(name).await {
            Err(CliError::Refused(problem)) if problem.status == StatusCode::NOT_FOUND => {}
            found => return found,
        }
        match self.post("/datasets", &serde_json::json!({"name": name})).await {
            // Another command made it in between.
            Err(CliError::Refused(problem)) if problem.status == StatusCode::CONFLICT => self.dataset(name).await,
            made => made,
        }
    }

    fn unreachable(&self, error: &reqwest::Error) -> CliError {
        let what = if error.is_connect() { "cannot reach" } else { "lost the connection to" };
        CliError::Unreachable(format!("{what} the server at {}: {}", self.base, cause(error)))
    }
}

/// What made a request fail, without the address, which the message names already.
fn cause(error: &reqwest::Error) -> String {
    match std::error::Error::source(error) {
        _ if error.is_timeout() => "no answer in time".to_owned(),
        Some(source) => chain(source),
        None => "the answer broke off".to_owned(),
    }
}

/// A name as one segment of a path.
fn encode(segment: &str) -> String {
    percent_encoding::utf8_percent_encode(segment, percent_encoding::NON_ALPHANUMERIC).to_string()
}

fn is_loopback(base: &str) -> bool {
    let host = base.split_once("://").map_or(base, |(_, rest)| rest);
    let host = host.split(['/', '?']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let name = match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests;
