//! The embedded home answers only to its own names (decision 51): a web page that makes a browser resolve its own
//! name to 127.0.0.1 must not reach a local flyquery.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use domain::ErrorCode;

use crate::problem::Problem;
use crate::state::App;

/// The layer: 421 unless Host is a loopback name or one of the configured ones. Only in the embedded home.
pub async fn check_host(State(app): State<App>, request: Request, next: Next) -> Response {
    if !app.settings.embedded || is_ours(&request, &app.settings.hosts) {
        return next.run(request).await;
    }
    Problem::new(ErrorCode::MisdirectedRequest)
        .detail("The Host header is neither a loopback name nor FLYQUERY_HOST.")
        .into_response()
}

fn is_ours(request: &Request, allowed: &[String]) -> bool {
    let named = |authority: &Authority| is_loopback(authority.host()) || allowed.iter().any(|a| same(a, authority));
    // An absolute request target names the host too (RFC 9112, 3.2.2): both must be ours.
    if request.uri().authority().is_some_and(|authority| !named(authority)) {
        return false;
    }
    let mut hosts = request.headers().get_all(HOST).iter();
    match (hosts.next().map(|h| h.to_str()), hosts.next()) {
        (Some(Ok(host)), None) => host.parse().is_ok_and(|authority| named(&authority)),
        (None, None) => request.uri().authority().is_some(),
        _ => false,
    }
}

fn same(allowed: &str, authority: &Authority) -> bool {
    let bare =
        |host: &str| host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.').to_ascii_lowercase();
    bare(allowed) == bare(authority.host())
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
    bare.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}

/// Whether the loopback default tenant may be given: the peer is on this machine and the request does not come from
/// another site's page.
pub fn may_default(parts: &Parts) -> bool {
    let local = parts
        .extensions
        .get::<ConnectInfo<SocketAddr>>()
        .is_some_and(|ConnectInfo(peer)| peer.ip().to_canonical().is_loopback());
    let same_origin = match parts.headers.get(ORIGIN) {
        None => true,
        Some(origin) => {
            let host = parts.headers.get(HOST).and_then(|h| h.to_str().ok());
            let site = origin.to_str().ok().and_then(|o| o.strip_prefix("http://"));
            site.is_some() && host.zip(site).is_some_and(|(host, site)| host.eq_ignore_ascii_case(site))
        }
    };
    // Images and scripts of another site's page are fetched without an Origin, but browsers say where they come from.
    let cross_site = parts.headers.get("sec-fetch-site").is_some_and(|site| site.as_bytes() == b"cross-site");
    local && same_origin && !cross_site
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn from_host(host: &str) -> Request {
        Request::builder().uri("/x").header(HOST, host).body(Body::empty()).expect("request")
    }

    #[test]
    fn loopback_names_and_the_configured_one_are_ours() {
        let allowed = ["Box.Example".to_owned()];
        for host in ["localhost", "LOCALHOST:8520", "127.0.0.1:1", "127.9.9.9", "[::1]:8520", "box.example:8520"] {
            assert!(is_ours(&from_host(host), &allowed), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "", "a b"] {
            assert!(!is_ours(&from_host(host), &allowed), "{host}");
        }
        let absolute = Request::builder().uri("http://evil.example/x").header(HOST, "localhost").body(Body::empty());
        assert!(!is_ours(&absolute.expect("request"), &allowed));
    }
}
