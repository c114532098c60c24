//! A served API on a port of its own.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use domain::ports::clock::Clock;
use domain::{DatasetId, Scope};
use flyquery_api::{ApiSettings, ApiState, BuildInfo, DefaultHome, router};
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde_json::Value;
use test_support::TestDb;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::doubles::{FakeIngest, FakeSearch, FakeSql, SilentBus};

/// A clock whose wall time stands still.
struct StillClock(Instant);

impl Clock for StillClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp(1_700_000_000, 0).expect("a valid instant")
    }

    fn monotonic(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A running server.
pub struct Server {
    pub db: TestDb,
    pub ingest: Arc<FakeIngest>,
    pub search: Arc<FakeSearch>,
    pub address: SocketAddr,
    pub shutdown: CancellationToken,
    pub tasks: TaskTracker,
    client: reqwest::Client,
    _serving: JoinSet<()>,
}

/// Settings of a server that is not the embedded home.
pub fn settings() -> ApiSettings {
    ApiSettings::new(BuildInfo { version: "1.2.3", git_sha: Some("abc"), build_time: None })
}

/// Settings of the embedded home.
pub fn embedded() -> ApiSettings {
    let tenant = domain::TenantId::new("acme").expect("a slug");
    let default_home = Some(DefaultHome { tenant, workspace: "main".to_owned() });
    ApiSettings { embedded: true, hosts: vec!["box.example".to_owned()], default_home, ..settings() }
}

impl Server {
    /// Serves with plain settings.
    pub async fn start(db: TestDb) -> Self {
        Self::with(db, settings(), FakeIngest::default()).await
    }

    /// Serves with these settings and this double.
    pub async fn with(db: TestDb, settings: ApiSettings, ingest: FakeIngest) -> Self {
        let ingest = Arc::new(ingest);
        let search = Arc::new(FakeSearch::default());
        let shutdown = CancellationToken::new();
        let tasks = TaskTracker::new();
        let state = ApiState {
            db: db.db(),
            ingest: Arc::clone(&ingest) as _,
            sql: Arc::new(FakeSql),
            search: Arc::clone(&search) as _,
            bus: Arc::new(SilentBus),
            clock: Arc::new(StillClock(Instant::now())),
            entropy: db.ids(),
            terminal: Arc::new(jobs::NoHooks),
            nudge: Arc::new(|| {}),
            metrics: Arc::new(|| "flyquery_up 1\n".to_owned()),
            shutdown: shutdown.clone(),
            tasks: tasks.clone(),
            settings,
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let service = router(state).into_make_service_with_connect_info::<SocketAddr>();
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, service).await.expect("serves") });
        let client = reqwest::Client::builder().no_proxy().build().expect("a client");
        Self { db, ingest, search, address, shutdown, tasks, client, _serving: serving }
    }

    pub fn scope(&self) -> &Scope {
        self.db.scope()
    }

    pub fn dataset(&self) -> DatasetId {
        self.db.dataset()
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A request without tenant headers.
    pub fn bare(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, self.url(path))
    }

    /// A request of tenant `acme` in workspace `main`.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.bare(method, path).header("X-Tenant-Id", "acme").header("X-Workspace-Id", "main")
    }

    pub async fn get(&self, path: &str) -> Answer {
        Answer::of(self.request(Method::GET, path)).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        Answer::of(self.request(Method::POST, path).json(body)).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Answer {
        Answer::of(self.request(Method::PUT, path).json(body)).await
    }
}

/// An answer that has been read.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: reqwest::header::HeaderMap,
    pub body: Value,
}

impl Answer {
    pub async fn of(request: RequestBuilder) -> Self {
        Self::read(request.send().await.expect("an answer")).await
    }

    pub async fn read(response: Response) -> Self {
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = response.bytes().await.expect("a body");
        let text = || Value::String(String::from_utf8_lossy(&bytes).into_owned());
        let body = serde_json::from_slice(&bytes).unwrap_or_else(|_| text());
        Self { status, headers, body }
    }

    /// The body of a success.
    #[track_caller]
    pub fn ok(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        self.body
    }

    /// The body of a problem, which must have its shape.
    #[track_caller]
    pub fn problem(self, status: u16, code: &str) -> Value {
        assert_eq!((self.status.as_u16(), self.body["code"].as_str()), (status, Some(code)), "{}", self.body);
        assert_eq!(self.headers["content-type"], "application/problem+json");
        assert_eq!(self.body["type"], format!("/problems/{code}"));
        assert_eq!(self.body["status"], status);
        assert_eq!(self.body["correlation_id"], self.headers["x-correlation-id"].to_str().expect("ascii"));
        self.body
    }

    /// The places that a problem names.
    pub fn places(&self) -> Vec<String> {
        let errors = self.body["errors"].as_array().cloned().unwrap_or_default();
        errors.iter().map(|error| error["path"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

/// Makes tests out of functions that take a [`TestDb`].
#[macro_export]
macro_rules! http_tests {
    ($($(#[$meta:meta])* async fn $name:ident($db:ident: TestDb) $body:block)+) => {$(
        #[test]
        $(#[$meta])*
        fn $name() {
            test_support::run_on_sqlite(|$db: test_support::TestDb| async move { $body });
        }
    )+};
}
