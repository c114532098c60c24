//! A real `flyquery serve` in a process of its own, with what tests ask of it over HTTP and of its files afterwards.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use db::{Db, DbSettings, DbUrl};
use serde_json::{Value, json};

/// Longest wait for anything that a healthy server does at once.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// A running server. Killed when dropped.
pub struct Server {
    child: Child,
    /// Base URL.
    pub url: String,
    /// Its data directory.
    pub dir: PathBuf,
    lines: Receiver<String>,
    /// HTTP client.
    pub http: reqwest::Client,
}

impl Server {
    /// Starts a server in a home of its own, with a dataset `d`; gives the dataset's id, and the home to be kept.
    pub async fn fresh(env: &[(&str, &str)]) -> (Self, String, tempfile::TempDir) {
        let home = tempfile::tempdir().expect("a folder");
        let server = Self::start_with(&home.path().join("data"), env).await;
        let dataset = server.dataset("d").await;
        (server, dataset, home)
    }

    /// Starts a server on a free port.
    pub async fn start(dir: &Path) -> Self {
        Self::start_with(dir, &[]).await
    }

    /// Starts a server with more environment. Fail points named in FLYQUERY_TEST_FAILPOINTS stop the process until a
    /// file of their name appears in the folder FLYQUERY_TEST_GATE.
    pub async fn start_with(dir: &Path, env: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flyquery"));
        command.args(["serve", "--port", "0", "--data-dir"]).arg(dir);
        command.env_clear().env("PATH", "/usr/bin:/bin").env("FLYQUERY_TEST_GATE", gates(dir));
        for (name, value) in env {
            command.env(name, value);
        }
        std::fs::create_dir_all(gates(dir)).expect("a folder for gates");
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the server starts");
        let stderr = child.stderr.take().expect("piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut server = Self { child, url: String::new(), dir: dir.to_owned(), lines, http: reqwest::Client::new() };
        server.url = server.wait_for_note().await;
        server
    }

    async fn wait_for_note(&mut self) -> String {
        let pid = self.child.id();
        let started = Instant::now();
        loop {
            let note = std::fs::read(self.dir.join("server.json")).ok();
            let note: Option<Value> = note.and_then(|bytes| serde_json::from_slice(&bytes).ok());
            if let Some(note) = note.filter(|n| n["pid"] == pid) {
                return note["url"].as_str().expect("a URL").to_owned();
            }
            if let Ok(Some(status)) = self.child.try_wait() {
                let lines: Vec<String> = self.lines.try_iter().collect();
                panic!("the server ended with {status} before it listened:\n{}", lines.join("\n"));
            }
            assert!(started.elapsed() < PATIENCE, "the server does not listen");
            pause().await;
        }
    }

    /// Starts API and workers on a PostgreSQL database, as tenant `acme` with a workspace of its own.
    pub async fn start_on_postgres(dir: &Path, database: &str) -> Self {
        // nothing tells which port was taken where there is no data directory to note it in
        let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port").port();
        let mut command = Command::new(env!("CARGO_BIN_EXE_flyquery"));
        command.args(["serve", "--with-workers", "--port", &port.to_string(), "--data-dir"]).arg(dir);
        command.env_clear().env("PATH", "/usr/bin:/bin").env("FLYQUERY_DATABASE_URL", database);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the server starts");
        let headers = [("x-tenant-id", "acme"), ("x-workspace-id", "lab")].map(|(name, value)| {
            (reqwest::header::HeaderName::from_static(name), reqwest::header::HeaderValue::from_static(value))
        });
        let http = reqwest::Client::builder().default_headers(headers.into_iter().collect()).build().expect("a client");
        let (_, lines) = channel();
        let server = Self { child, url: format!("http://127.0.0.1:{port}"), dir: dir.to_owned(), lines, http };
        let started = Instant::now();
        while server.http.get(format!("{}/actuator/health", server.url)).send().await.is_err() {
            assert!(started.elapsed() < PATIENCE, "the server does not listen");
            pause().await;
        }
        let lab = json!({"slug": "lab", "name": "Lab", "allow_direct_sql": true});
        let (status, body) = server.post("/api/v1/workspaces", &lab).await;
        assert_eq!(status, 201, "{body}");
        server
    }

    /// Waits until the process stands at a fail point.
    pub fn wait_at(&self, point: &str) {
        let wanted = format!("failpoint {point}");
        let deadline = Instant::now() + PATIENCE;
        let mut seen = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) if line.contains(&wanted) => return,
                Ok(line) => seen.push(line),
                Err(error) => panic!("fail point {point} was not reached ({error}):\n{}", seen.join("\n")),
            }
        }
    }

    /// Lets the process go on from a fail point.
    pub fn open_gate(&self, point: &str) {
        std::fs::write(gates(&self.dir).join(point), b"").expect("a gate");
    }

    /// Lets the process stop there again.
    pub fn close_gate(&self, point: &str) {
        std::fs::remove_file(gates(&self.dir).join(point)).expect("a gate");
    }

    /// `kill -9`.
    pub fn kill(mut self) {
        self.child.kill().expect("SIGKILL");
        self.child.wait().expect("reaped");
    }

    /// SIGTERM; gives the exit status.
    pub fn terminate(self) -> ExitStatus {
        self.terminate_and_read_log().0
    }

    /// SIGTERM; gives the exit status and every line of its log that no wait has read.
    pub fn terminate_and_read_log(mut self) -> (ExitStatus, Vec<String>) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs");
        assert!(sent.success());
        let status = self.child.wait().expect("the server ends");
        (status, self.lines.iter().collect())
    }

    /// GET, expecting success.
    pub async fn get(&self, path: &str) -> Value {
        let (status, body) = self.get_any(path).await;
        assert_eq!(status, 200, "GET {path}: {body}");
        body
    }

    /// GET, whatever the answer.
    pub async fn get_any(&self, path: &str) -> (u16, Value) {
        let answer = self.http.get(format!("{}{path}", self.url)).send().await.expect("an answer");
        (answer.status().as_u16(), answer.json().await.expect("JSON"))
    }

    /// POST of JSON, whatever the answer.
    pub async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let answer = self.http.post(format!("{}{path}", self.url)).json(body).send().await.expect("an answer");
        (answer.status().as_u16(), answer.json().await.expect("JSON"))
    }

    /// Makes a dataset; gives its id.
    pub async fn dataset(&self, name: &str) -> String {
        let (status, body) = self.post("/api/v1/datasets", &json!({"name": name})).await;
        assert_eq!(status, 201, "{body}");
        text(&body["id"])
    }

    /// Uploads bytes on one of the two routes, whatever the answer.
    pub async fn upload_any(&self, dataset: &str, route: &str, name: &str, bytes: Vec<u8>) -> (u16, Value) {
        self.send_file(reqwest::Method::POST, dataset, route, name, bytes).await
    }

    /// Uploads bytes as the next version of a table, whatever the answer.
    pub async fn upload_into(&self, dataset: &str, table: &Value, name: &str, bytes: &[u8]) -> (u16, Value) {
        let route = format!("tables/{}:upload", text(table));
        self.send_file(reqwest::Method::PUT, dataset, &route, name, bytes.to_vec()).await
    }

    async fn send_file(
        &self,
        method: reqwest::Method,
        dataset: &str,
        route: &str,
        name: &str,
        bytes: Vec<u8>,
    ) -> (u16, Value) {
        let part = reqwest::multipart::Part::bytes(bytes).file_name(name.to_owned());
        let form = reqwest::multipart::Form::new().part("file", part);
        let url = format!("{}/api/v1/datasets/{dataset}/{route}", self.url);
        let answer = self.http.request(method, url).multipart(form).send().await.expect("an answer");
        (answer.status().as_u16(), answer.json().await.expect("JSON"))
    }

    /// Uploads and waits, expecting success; gives the first table made.
    pub async fn ingest(&self, dataset: &str, name: &str, bytes: Vec<u8>) -> Value {
        let (status, body) = self.upload_any(dataset, "files", name, bytes).await;
        assert_eq!(status, 200, "{body}");
        body["tables"][0].clone()
    }

    /// Uploads for a worker; gives the job's id.
    pub async fn upload(&self, dataset: &str, name: &str, bytes: Vec<u8>) -> String {
        let (status, body) = self.upload_any(dataset, "files:async", name, bytes).await;
        assert_eq!(status, 202, "{body}");
        text(&body["job_id"])
    }

    /// Waits until the job has ended; gives its row.
    pub async fn ended(&self, job: &str) -> Value {
        let started = Instant::now();
        loop {
            let row = self.get(&format!("/api/v1/ingest-jobs/{job}")).await;
            if matches!(row["status"].as_str(), Some("SUCCEEDED" | "FAILED" | "CANCELLED")) {
                return row;
            }
            assert!(started.elapsed() < PATIENCE, "the job does not end: {row}");
            pause().await;
        }
    }

    /// The job's ledger.
    pub async fn events(&self, job: &str) -> Vec<Value> {
        let page = self.get(&format!("/api/v1/ingest-jobs/{job}/events?limit=500")).await;
        page["items"].as_array().expect("items").clone()
    }

    /// Runs SQL; gives the rows.
    pub async fn sql(&self, dataset: &str, sql: &str) -> Value {
        let body = json!({"dataset_id": dataset, "sql": sql, "include_rows": true});
        let (status, answer) = self.post("/api/v1/sql:execute", &body).await;
        assert_eq!(status, 200, "{answer}");
        assert_eq!(answer["execution_status"], "OK", "{answer}");
        answer["rows"].clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn gates(dir: &Path) -> PathBuf {
    dir.with_extension("gates")
}

/// A short wait between two looks at something that another process changes.
pub async fn pause() {
    tokio::time::sleep(Duration::from_millis(10)).await; // bounded poll: every caller counts against PATIENCE
}

/// A JSON string as text.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a string")).to_owned()
}

/// A small table with every common type; `rows` rows.
pub fn orders(rows: usize) -> Vec<u8> {
    let mut csv = String::from("id,customer,amount,ordered_on,paid\n");
    for i in 0..rows {
        let line = format!(
            "{i},C{:03},{}.{:02},2024-{:02}-{:02},{}\n",
            i % 97,
            i,
            i % 100,
            1 + i % 12,
            1 + i % 28,
            i % 2 == 0
        );
        csv.push_str(&line);
    }
    csv.into_bytes()
}

/// Every file in the object store of a data directory, by path below it.
pub fn objects(dir: &Path) -> Vec<String> {
    fn walk(root: &Path, at: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(at).into_iter().flatten().map_while(Result::ok) {
            let path = entry.path();
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                found.push(path.strip_prefix(root).expect("below").display().to_string());
            }
        }
    }
    let root = dir.join("blobs");
    let mut found = Vec::new();
    walk(&root, &root, &mut found);
    found.sort();
    found
}

/// One number from the catalogue of a server that has ended (or one that runs: SQLite lets us read beside it).
pub async fn count(dir: &Path, sql: &str) -> i64 {
    let settings = DbSettings {
        url: DbUrl::Sqlite(dir.join("flyquery.db")),
        max_connections: 1,
        acquire_timeout: Duration::from_secs(10),
    };
    let db = Db::connect(settings).await.expect("the catalogue opens");
    let tx = db.fleet_read().await.expect("a transaction");
    let row = tx.row(sql, Vec::new()).await.expect("a count").expect("one row");
    let n = row.get::<i64>("n").expect("a number");
    tx.rollback().await.expect("closed");
    db.close().await;
    n
}
