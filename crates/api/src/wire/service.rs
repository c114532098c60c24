//! Shapes of the service routes.

use serde::Serialize;
use utoipa::ToSchema;

/// Which build answers.
#[derive(Debug, Serialize, ToSchema)]
#[allow(clippy::struct_field_names, reason = "the contract's names")]
pub struct Version {
    /// `flyquery`.
    pub name: &'static str,
    /// Version.
    pub version: &'static str,
    /// Commit.
    pub git_sha: Option<&'static str>,
    /// Time of the build.
    pub build_time: Option<&'static str>,
}

/// UP or DOWN.
#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    /// `UP` or `DOWN`.
    pub status: &'static str,
}

/// About the application.
#[derive(Debug, Serialize, ToSchema)]
pub struct Info {
    /// The application.
    pub app: AppInfo,
}

/// Name, version and purpose.
#[derive(Debug, Serialize, ToSchema)]
pub struct AppInfo {
    /// `flyquery`.
    pub name: &'static str,
    /// Version.
    pub version: &'static str,
    /// What it does.
    pub description: &'static str,
}
