//! Whose data a request is about: tenant, workspace and actor, from headers (contract 0.1, decisions 6, 50, 51, 69).

use axum::extract::FromRequestParts;
use axum::http::HeaderName;
use axum::http::request::Parts;
use db::{WorkspaceRow, workspaces};
use domain::{Actor, ErrorCode, Scope, TenantId, id};
use uuid::Uuid;

use super::identity;
use crate::layers::envelope::{Correlation, TENANT, WORKSPACE};
use crate::layers::host;
use crate::problem::{FieldError, Problem};
use crate::state::App;

/// Who asks, as audit rows note it.
#[derive(Clone, Debug)]
pub struct Who {
    /// The subject of the bearer token, when there is one.
    pub actor: Option<Actor>,
    /// Ties the request to logs and audit rows.
    pub correlation_id: Option<String>,
}

/// A caller that speaks for a tenant: enough to make and list workspaces.
pub struct Tenant {
    /// The tenant.
    pub tenant: TenantId,
    /// Who asks.
    pub who: Who,
}

/// A caller inside one of its tenant's workspaces.
pub struct Caller {
    /// Tenant and workspace.
    pub scope: Scope,
    /// The workspace.
    pub workspace: WorkspaceRow,
    /// Who asks.
    pub who: Who,
}

impl Caller {
    /// Who is noted as the sender of an upload or the maker of a job: the subject, else the tenant.
    pub fn actor_or_tenant(&self) -> Actor {
        self.who.actor.clone().unwrap_or_else(|| Actor(self.scope.tenant.to_string()))
    }
}

impl FromRequestParts<App> for Tenant {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let tenant = match header(parts, &TENANT)? {
            Some(text) => TenantId::new(text).map_err(|error| wrong(&TENANT, &error.to_string()))?,
            None => match default_home(parts, app) {
                Some(home) => home.tenant.clone(),
                None => return Err(missing(&TENANT)),
            },
        };
        let actor = identity::actor(&parts.headers, &tenant)?;
        let correlation_id = parts.extensions.get::<Correlation>().map(|id| id.0.to_string());
        Ok(Self { tenant, who: Who { actor, correlation_id } })
    }
}

impl FromRequestParts<App> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let Tenant { tenant, who } = Tenant::from_request_parts(parts, app).await?;
        let wanted = match header(parts, &WORKSPACE)? {
            Some(text) if is_uuid(text) || id::is_slug(text) => text.to_owned(),
            Some(_) => return Err(wrong(&WORKSPACE, "must be a UUID or a slug")),
            None => match default_home(parts, app) {
                Some(home) if home.tenant == tenant => home.workspace.clone(),
                _ => return Err(missing(&WORKSPACE)),
            },
        };
        let tx = app.db.tenant_read(&tenant).await?;
        let found = workspaces::find(&tx, &wanted).await?;
        tx.commit().await?;
        let workspace = found.ok_or_else(|| {
            Problem::new(ErrorCode::WorkspaceNotFound).detail(format!("There is no workspace '{wanted}'."))
        })?;
        let scope = Scope { tenant, workspace: workspace.id };
        Ok(Self { scope, workspace, who })
    }
}

fn default_home<'a>(parts: &Parts, app: &'a App) -> Option<&'a crate::state::DefaultHome> {
    let home = app.settings.default_home.as_ref()?;
    (app.settings.embedded && host::may_default(parts)).then_some(home)
}

/// UUIDs are written with hyphens, in any case; 32 bare hex digits are a slug.
fn is_uuid(text: &str) -> bool {
    text.len() == 36 && Uuid::parse_str(text).is_ok()
}

fn header<'a>(parts: &'a Parts, name: &HeaderName) -> Result<Option<&'a str>, Problem> {
    let mut values = parts.headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(wrong(name, "is sent more than once"));
    }
    value.to_str().map(|text| Some(text.trim())).map_err(|_| wrong(name, "must be ASCII"))
}

fn missing(name: &HeaderName) -> Problem {
    let error = FieldError::new("missing", format!("header/{name}"), "is required");
    Problem::several(ErrorCode::MissingTenantContext, vec![error])
}

fn wrong(name: &HeaderName, message: &str) -> Problem {
    let error = FieldError::new("malformed", format!("header/{name}"), message);
    Problem::several(ErrorCode::MissingTenantContext, vec![error])
}
