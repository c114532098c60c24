//! A connection that breaks at the worst moment: after the server has committed, before the client hears of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// A proxy before a Postgres server. Once armed, the next `COMMIT` of a transaction that has sent the armed text
/// reaches the server, but its answer does not reach the client: the connection is cut instead.
pub struct CuttingProxy {
    url: String,
    armed: Arc<AtomicBool>,
    _serving: JoinSet<()>,
}

impl CuttingProxy {
    /// Listens before the server of `url`; transactions that send `text` will be concerned.
    pub async fn before(url: &str, text: &'static str) -> Self {
        let (scheme, rest) = url.split_once("://").expect("a URL");
        let (authority, path) = rest.split_once('/').expect("a URL with a database");
        let (user, server) = authority.rsplit_once('@').map_or(("", authority), |(user, server)| (user, server));
        let at = if user.is_empty() { "" } else { "@" };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let armed = Arc::new(AtomicBool::new(false));
        let mut serving = JoinSet::new();
        serving.spawn(serve(listener, server.to_owned(), text, Arc::clone(&armed)));
        Self { url: format!("{scheme}://{user}{at}127.0.0.1:{port}/{path}"), armed, _serving: serving }
    }

    /// The server's URL by way of the proxy.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The next answer to such a commit gets lost.
    pub fn arm(&self) {
        self.armed.store(true, Ordering::SeqCst);
    }

    /// Whether an answer has been lost since [`CuttingProxy::arm`].
    pub fn has_cut(&self) -> bool {
        !self.armed.load(Ordering::SeqCst)
    }
}

async fn serve(listener: TcpListener, server: String, text: &'static str, armed: Arc<AtomicBool>) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let upstream = TcpStream::connect(&server).await.expect("the test server answers");
        connections.spawn(carry(client, upstream, text, Arc::clone(&armed)));
    }
}

/// Carries bytes both ways until either side ends, or until the answer that is to get lost.
async fn carry(mut client: TcpStream, mut server: TcpStream, text: &'static str, armed: Arc<AtomicBool>) {
    let (mut concerned, mut committing) = (false, false);
    let (mut asked, mut answered) = (vec![0; 64 << 10], vec![0; 64 << 10]);
    loop {
        tokio::select! {
            read = client.read(&mut asked) => {
                let Ok(n @ 1..) = read else { return };
                concerned |= contains(&asked[..n], text);
                committing = contains(&asked[..n], "COMMIT");
                if server.write_all(&asked[..n]).await.is_err() { return }
            }
            read = server.read(&mut answered) => {
                let Ok(n @ 1..) = read else { return };
                if committing && concerned && armed.swap(false, Ordering::SeqCst) {
                    return;
                }
                if committing {
                    (concerned, committing) = (false, false);
                }
                if client.write_all(&answered[..n]).await.is_err() { return }
            }
        }
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}
