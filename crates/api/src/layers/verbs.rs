//! Custom verbs after a path parameter: `/ingest-jobs/{job_id}:cancel`.
//!
//! The router can't match a parameter and a literal in one segment, so such a path is rewritten to
//! `/ingest-jobs/{job_id}/~cancel` before it is routed. Which paths have a verb is read from the documented paths, so
//! that the list can't go stale, and a name that merely ends in `:cancel` stays a name elsewhere. Clients may write
//! the colon as `%3A`.

use axum::extract::Request;
use axum::http::Uri;
use axum::http::uri::PathAndQuery;

/// The path as the client wrote it, for problem bodies and logs.
#[derive(Clone, Debug)]
pub struct WrittenPath(pub String);

/// The route that serves a documented path: `…/{id}:verb` becomes `…/{id}/~verb`.
pub fn route_of(documented: &str) -> String {
    match documented.rsplit_once("}:") {
        Some((before, verb)) if !verb.contains('/') => format!("{before}}}/~{verb}"),
        _ => documented.to_owned(),
    }
}

/// The documented paths whose last segment ends in a verb.
#[derive(Clone, Debug, Default)]
pub struct Verbs(Vec<Pattern>);

#[derive(Clone, Debug)]
struct Pattern {
    /// Segments before the last one; `None` is a parameter.
    before: Vec<Option<String>>,
    last: Last,
}

#[derive(Clone, Debug)]
enum Last {
    /// `files:async`
    Literal(String),
    /// `{id}:cancel`
    After(String),
}

impl Verbs {
    /// Collects the verbs of documented paths.
    pub fn of<'a>(paths: impl Iterator<Item = &'a str>) -> Self {
        Self(paths.filter_map(Pattern::of).collect())
    }

    /// Rewrites the request's path when it is one of ours, and notes the path as written.
    pub fn rewrite(&self, mut request: Request) -> Request {
        let written = request.uri().path().to_owned();
        if let Some(path) = self.0.iter().find_map(|pattern| pattern.rewrite(&written)) {
            set_path(&mut request, &path);
        }
        request.extensions_mut().insert(WrittenPath(written));
        request
    }
}

fn set_path(request: &mut Request, path: &str) {
    let target = match request.uri().query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    let Ok(target) = PathAndQuery::try_from(target) else { return };
    let mut parts = request.uri().clone().into_parts();
    parts.path_and_query = Some(target);
    if let Ok(uri) = Uri::from_parts(parts) {
        *request.uri_mut() = uri;
    }
}

impl Pattern {
    fn of(documented: &str) -> Option<Self> {
        let (before, last) = documented.rsplit_once('/')?;
        let (head, verb) = last.split_once(':')?;
        let last = if head.starts_with('{') { Last::After(verb.to_owned()) } else { Last::Literal(last.to_owned()) };
        let parameter = |segment: &str| (!segment.starts_with('{')).then(|| segment.to_owned());
        Some(Self { before: before.split('/').map(parameter).collect(), last })
    }

    /// The path to route, when `path` is one of this pattern.
    fn rewrite(&self, path: &str) -> Option<String> {
        let (before, last) = path.rsplit_once('/')?;
        let segments: Vec<&str> = before.split('/').collect();
        let fits = |(want, have): (&Option<String>, &&str)| match want {
            Some(literal) => literal == have,
            None => !have.is_empty(),
        };
        if segments.len() != self.before.len() || !self.before.iter().zip(&segments).all(fits) {
            return None;
        }
        let last = last.replace("%3A", ":").replace("%3a", ":");
        match &self.last {
            Last::Literal(literal) => (last == *literal).then(|| format!("{before}/{last}")),
            Last::After(verb) => {
                let (id, found) = last.rsplit_once(':')?;
                (found == verb && !id.is_empty()).then(|| format!("{before}/{id}/~{verb}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verbs() -> Verbs {
        Verbs::of(["/v1/jobs/{id}:cancel", "/v1/sets/{id}/files:async", "/v1/sql:execute", "/v1/jobs/{id}"].into_iter())
    }

    fn routed(path: &str) -> String {
        let request = Request::builder().uri(path).body(axum::body::Body::empty()).expect("request");
        verbs().rewrite(request).uri().to_string()
    }

    #[test]
    fn verbs_are_found_with_either_colon() {
        assert_eq!(routed("/v1/jobs/7:cancel?x=1"), "/v1/jobs/7/~cancel?x=1");
        assert_eq!(routed("/v1/jobs/7%3Acancel"), "/v1/jobs/7/~cancel");
        assert_eq!(routed("/v1/sets/7/files%3aasync"), "/v1/sets/7/files:async");
        assert_eq!(routed("/v1/sql%3Aexecute"), "/v1/sql:execute");
    }

    #[test]
    fn a_name_that_looks_like_a_verb_stays_a_name() {
        for path in ["/v1/sets/by-name/x:cancel", "/v1/jobs/7:purge", "/v1/jobs/:cancel", "/v1/jobs/7", "/v1/a%3Ab"] {
            assert_eq!(routed(path), path);
        }
    }

    #[test]
    fn documented_paths_name_their_route() {
        assert_eq!(route_of("/v1/jobs/{id}:cancel"), "/v1/jobs/{id}/~cancel");
        assert_eq!(route_of("/v1/sets/{id}/files:async"), "/v1/sets/{id}/files:async");
    }
}
