//! A server in this process: started in an order in which nothing is served too early, stopped in one in which nothing is lost.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::error::CliError;
use crate::home::{HomeLock, ServerNote};
use crate::settings::Settings;
use crate::shutdown;
use crate::wiring::{self, Wired};

/// Connections that may wait to be accepted.
const BACKLOG: u32 = 1024;
/// How much longer than the jobs' grace an open request may take to be answered.
const ANSWERS: Duration = Duration::from_secs(5);
/// How much longer than the jobs' grace stopping may take in all, before the process is cut off: its jobs are found by
/// the next one.
const DEADLINE: Duration = Duration::from_secs(30);

/// Where a server listens and what it does.
#[derive(Clone, Debug)]
pub struct Listen {
    host: String,
    port: u16,
    runs_jobs: bool,
    stays: bool,
}

impl Listen {
    /// A server for one command: reached by this machine alone, gone with the command.
    pub fn command() -> Self {
        Self { host: Ipv4Addr::LOCALHOST.to_string(), port: 0, runs_jobs: true, stays: false }
    }

    /// A server that stays.
    pub fn stay(settings: &Settings, with_workers: bool) -> Self {
        let runs_jobs = settings.is_embedded() || with_workers;
        Self { host: settings.host().to_owned(), port: settings.server.port, runs_jobs, stays: true }
    }
}

/// A server that runs.
pub struct Running {
    url: String,
    wired: Wired,
    stop: CancellationToken,
    server: JoinSet<io::Result<()>>,
    // Given back last: whoever takes the directory next finds it at rest.
    lock: Option<HomeLock>,
}

impl Running {
    /// Takes the address, wires the parts (which recovers what a dead process left), and only then listens.
    pub async fn start(settings: &Arc<Settings>, lock: Option<HomeLock>, listen: Listen) -> Result<Self, CliError> {
        let failed = |e: io::Error| CliError::Home(format!("cannot listen on {}:{}: {e}", listen.host, listen.port));
        let socket = bind(&listen).await.map_err(failed)?;
        let wired = wiring::wire(settings, listen.runs_jobs).await?;
        let listener = socket.listen(BACKLOG).map_err(failed)?;
        let url = url_of(listener.local_addr().map_err(failed)?);
        let stop = CancellationToken::new();
        let mut server = JoinSet::new();
        server.spawn(serve(listener, wired.router.clone(), stop.clone()));
        if let Some(lock) = &lock {
            let note = ServerNote {
                pid: std::process::id(),
                url: url.clone(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                stays: listen.stays,
            };
            lock.announce(&note)
                .map_err(|e| CliError::Home(format!("cannot write into {}: {e}", settings.data_dir().display())))?;
        }
        tracing::info!(%url, data_dir = %settings.data_dir().display(), embedded = settings.is_embedded(), "listening");
        Ok(Self { url, wired, stop, server, lock })
    }

    /// Where it listens.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Ends streams, takes no new connection, lets requests and jobs finish up to `grace`, hands back what is left.
    pub async fn stop(mut self, grace: Duration) {
        shutdown::end_within(grace + DEADLINE);
        let Wired { worker, ground, .. } = self.wired;
        ground.end_streams();
        self.stop.cancel();
        let answers = async {
            let ended = tokio::time::timeout(grace + ANSWERS, self.server.join_next()).await;
            match ended {
                Ok(Some(Ok(Err(error)))) => tracing::warn!(%error, "the server ended with an error"),
                Ok(_) => {}
                Err(_) => tracing::warn!("requests were still open and are cut off"),
            }
            self.server.shutdown().await;
        };
        // Together: a sync upload is answered when its job has settled or was handed back.
        let ((), drained) = tokio::join!(answers, worker.shutdown(grace));
        tracing::debug!(?drained, "the worker has stopped");
        ground.close().await;
        drop(self.lock);
    }
}

async fn serve(listener: TcpListener, router: axum::Router, stop: CancellationToken) -> io::Result<()> {
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, service).with_graceful_shutdown(stop.cancelled_owned()).await
}

/// Takes the first address of the host that is free; nothing is accepted yet.
async fn bind(listen: &Listen) -> io::Result<TcpSocket> {
    let mut last = io::Error::new(io::ErrorKind::AddrNotAvailable, "the name has no address");
    for address in tokio::net::lookup_host((listen.host.as_str(), listen.port)).await? {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        // A port that an earlier server of ours used a moment ago is free.
        #[cfg(unix)]
        socket.set_reuseaddr(true)?;
        match socket.bind(address) {
            Ok(()) => return Ok(socket),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// The address at which this machine reaches the server.
fn url_of(address: SocketAddr) -> String {
    let reachable = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip @ (IpAddr::V4(_) | IpAddr::V6(_)) => ip,
    };
    format!("http://{}", SocketAddr::new(reachable, address.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_every_address_is_reached_by_the_loopback() {
        for (address, url) in [
            ("0.0.0.0:8520", "http://127.0.0.1:8520"),
            ("[::]:1", "http://[::1]:1"),
            ("10.1.2.3:2", "http://10.1.2.3:2"),
        ] {
            assert_eq!(url_of(address.parse().expect("an address")), url);
        }
    }
}
