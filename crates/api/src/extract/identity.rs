//! Who speaks: the claims of an optional bearer token. Its signature is not checked here: flyquery stands behind a
//! gateway that does, and the claims only name the actor and may only narrow the tenant, never widen it.

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::{Actor, ErrorCode, TenantId};
use serde::Deserialize;

use crate::problem::Problem;

/// Bytes of a token's payload that are looked at.
const PAYLOAD_BYTES: usize = 16 << 10;
/// Characters of a subject that are kept.
const SUBJECT_CHARS: usize = 256;

#[derive(Deserialize, Default)]
struct Claims {
    tenant: Option<String>,
    sub: Option<String>,
}

/// The actor that the token names, once its tenant claim agrees with `tenant`. No token, or one that is no JSON web
/// token, names nobody.
pub fn actor(headers: &HeaderMap, tenant: &TenantId) -> Result<Option<Actor>, Problem> {
    let Some(token) = bearer(headers) else { return Ok(None) };
    let claims = claims(token).unwrap_or_default();
    if claims.tenant.is_some_and(|claimed| claimed != tenant.as_str()) {
        return Err(Problem::new(ErrorCode::TenantClaimMismatch));
    }
    let subject = claims.sub.filter(|sub| !sub.trim().is_empty());
    Ok(subject.map(|sub| Actor(sub.chars().filter(|c| !c.is_control()).take(SUBJECT_CHARS).collect())))
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn claims(token: &str) -> Option<Claims> {
    let mut parts = token.split('.');
    let (_header, payload, _signature) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || payload.len() > PAYLOAD_BYTES {
        return None;
    }
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload.trim_end_matches('=')).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(payload: &str) -> HeaderMap {
        let token = format!("Bearer e30.{}.sig", URL_SAFE_NO_PAD.encode(payload));
        HeaderMap::from_iter([(AUTHORIZATION, token.parse().expect("ascii"))])
    }

    #[test]
    fn subject_is_the_actor_and_a_foreign_tenant_is_refused() {
        let acme = TenantId::new("acme").expect("slug");
        let own = actor(&headers(r#"{"sub":"ann","tenant":"acme"}"#), &acme).expect("agrees");
        assert_eq!(own, Some(Actor("ann".to_owned())));
        let foreign = actor(&headers(r#"{"sub":"ann","tenant":"other"}"#), &acme).expect_err("refused");
        assert_eq!(foreign.code(), ErrorCode::TenantClaimMismatch);
        assert_eq!(actor(&HeaderMap::new(), &acme).expect("no token"), None);
        let garbage = HeaderMap::from_iter([(AUTHORIZATION, "Bearer nonsense".parse().expect("ascii"))]);
        assert_eq!(actor(&garbage, &acme).expect("an opaque token"), None);
    }
}
