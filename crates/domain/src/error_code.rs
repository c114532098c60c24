//! The one closed list of error codes: what the wire says, whose fault it is, and what a person can do about it.
//!
//! Codes about a file's content are UPPER_CASE, all others lower snake_case. Every code has a page in
//! `docs/problems/<code>.md`; a test names the page that is missing.

use crate::failure::FailureClass;

macro_rules! error_codes {
    ($($(#[$meta:meta])* $variant:ident = $code:literal, $status:literal, $class:ident, $title:literal, $advice:literal;)+) => {
        /// A code of the closed list.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum ErrorCode { $($(#[$meta])* $variant),+ }

        impl ErrorCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The code as it stands on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code),+ }
            }

            /// The HTTP status it answers with.
            pub const fn http_status(self) -> u16 {
                match self { $(Self::$variant => $status),+ }
            }

            /// Whose fault it is, which decides whether a job that met it is retried.
            pub const fn class(self) -> FailureClass {
                match self { $(Self::$variant => FailureClass::$class),+ }
            }

            /// A short name for people.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title),+ }
            }

            /// One sentence that says what to do.
            pub const fn advice(self) -> &'static str {
                match self { $(Self::$variant => $advice),+ }
            }
        }

        impl std::str::FromStr for ErrorCode {
            type Err = crate::closed::UnknownWord;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($code => Ok(Self::$variant),)+
                    _ => Err(crate::closed::UnknownWord { word: text.to_owned(), allowed: &[$($code),+] }),
                }
            }
        }
    };
}

error_codes! {
    /// The file has no bytes.
    EmptyFile = "EMPTY_FILE", 422, Rejected, "The file is empty",
        "Upload a file that holds at least one line.";
    /// Magic bytes and extension contradict each other.
    FormatMismatch = "FORMAT_MISMATCH", 422, Rejected, "Content and file name disagree",
        "Rename the file to match its content, or name its format in the form field file_format.";
    /// The format is known but not read by this build, or not known at all.
    UnsupportedFormat = "UNSUPPORTED_FORMAT", 422, Rejected, "The format is not supported",
        "Save the data as CSV, TSV, JSON or Parquet and upload that.";
    /// The bytes do not follow the format.
    ParseError = "PARSE_ERROR", 422, Rejected, "The file could not be read",
        "Open the file at the place named in the detail, mend it and upload it again.";
    /// The structure can't be expressed as tables.
    UnsupportedSchema = "UNSUPPORTED_SCHEMA", 422, Rejected, "The structure cannot become a table",
        "Flatten the structure named in the detail and upload the file again.";
    /// A wrapper inflates past the cap or the allowed ratio.
    ZipBomb = "ZIP_BOMB", 422, Rejected, "The compressed file inflates past the limit",
        "Upload the content uncompressed or in smaller files.";
    /// An archive holds more or fewer than one file.
    ZipMultiEntry = "ZIP_MULTI_ENTRY", 422, Rejected, "The archive does not hold exactly one file",
        "Upload each file of the archive by itself.";
    /// A bound on columns, cell or row size is passed.
    LimitExceeded = "LIMIT_EXCEEDED", 422, Rejected, "The file passes a limit",
        "Split the file as the detail says and upload the parts.";
    /// The dataset's PII policy rejects what was found.
    PiiRejected = "PII_REJECTED", 422, Rejected, "Personal data is not allowed in this dataset",
        "Remove the columns named in the detail, or change the dataset's pii_policy_samples.";
    /// Every section of a file failed.
    NoTables = "NO_TABLES", 422, Rejected, "No table could be read from the file",
        "See the warnings for what was wrong with each section.";
    /// The job was cancelled.
    JobCancelled = "JOB_CANCELLED", 409, Cancelled, "The job was cancelled",
        "Start it again with a REPARSE job if that was not meant.";
    /// The job's workers died until the cap was reached.
    WorkerLost = "WORKER_LOST", 500, Bug, "The worker died while it ran the job",
        "The file may need more memory than the worker has; check the worker's log, then retry.";
    /// A handler ran past its time limit.
    HandlerTimeout = "HANDLER_TIMEOUT", 503, Transient, "The job ran out of time",
        "Raise FLYQUERY_INGEST_HANDLER_TIMEOUT_S or split the file.";
    /// Database, object store or bus did not answer in the job.
    InfrastructureUnavailable = "INFRASTRUCTURE_UNAVAILABLE", 503, Transient, "A service flyquery depends on did not answer",
        "Nothing to do: the job is tried again by itself.";
    /// Disk or store is full.
    StorageFull = "STORAGE_FULL", 507, Transient, "There is no space left",
        "Free space on the data directory's disk. A job goes on by itself; an upload that was refused must be sent again.";
    /// A defect of flyquery.
    InternalError = "internal_error", 500, Bug, "flyquery met a defect of its own",
        "Report it with the correlation id; the server's log has the details.";
    /// Tenant or workspace header missing or malformed.
    MissingTenantContext = "missing_tenant_context", 400, Rejected, "Tenant or workspace header is missing or malformed",
        "Send X-Tenant-Id and X-Workspace-Id.";
    /// Not well-formed.
    BadRequest = "bad_request", 400, Rejected, "The request is not well-formed",
        "See the detail for the place, mend it and send it again.";
    /// Well-formed but wrong.
    InvalidRequest = "invalid_request", 422, Rejected, "The request cannot be carried out as it stands",
        "See the errors for each field and send it again.";
    /// JSON body does not fit its schema.
    ValidationError = "validation_error", 422, Rejected, "The body does not fit its schema",
        "See the errors for each field and send it again.";
    /// No such thing in this workspace.
    ResourceNotFound = "resource_not_found", 404, Rejected, "There is no such resource",
        "Check the id and the X-Tenant-Id and X-Workspace-Id headers.";
    /// No such workspace for this tenant.
    WorkspaceNotFound = "workspace_not_found", 404, Rejected, "There is no such workspace",
        "Create the workspace first, or check X-Workspace-Id.";
    /// The route exists, the method does not.
    MethodNotAllowed = "method_not_allowed", 405, Rejected, "The method is not allowed here",
        "Use one of the methods in the Allow header.";
    /// Duplicate, or the state forbids it.
    Conflict = "conflict", 409, Rejected, "The request conflicts with what is there",
        "Read the resource again and decide anew.";
    /// The upload is larger than the cap.
    FileTooLarge = "file_too_large", 413, Rejected, "The file is larger than allowed",
        "Split the file, or raise FLYQUERY_MAX_FILE_MB.";
    /// A request body other than an upload is too large.
    BodyTooLarge = "body_too_large", 413, Rejected, "The request body is larger than allowed",
        "Send a smaller body.";
    /// Content type is not the one the route takes.
    UnsupportedMediaType = "unsupported_media_type", 415, Rejected, "The content type is not the one expected",
        "Send the content type that the API document names for this route.";
    /// The Host header names another site.
    MisdirectedRequest = "misdirected_request", 421, Rejected, "The Host header does not name this server",
        "Use a loopback address, or start the server with FLYQUERY_HOST set to the name you use.";
    /// The bearer token speaks for another tenant.
    TenantClaimMismatch = "tenant_claim_mismatch", 403, Rejected, "The token belongs to another tenant",
        "Send the X-Tenant-Id that the token's tenant claim names, or another token.";
    /// Direct SQL is switched off for the workspace.
    DirectSqlForbidden = "direct_sql_forbidden", 403, Rejected, "Direct SQL is off in this workspace",
        "Set allow_direct_sql on the workspace.";
    /// The workspace's quota is used up.
    WorkspaceQuotaExceeded = "workspace_quota_exceeded", 507, Rejected, "The workspace's storage quota is used up",
        "Delete files or datasets, or raise FLYQUERY_MAX_WORKSPACE_GB.";
    /// Too much at once, or the database is away.
    ServiceUnavailable = "service_unavailable", 503, Transient, "The server cannot take the request now",
        "Send it again after the time in Retry-After.";
    /// The SQL is refused, wrong or too expensive.
    SqlError = "sql_error", 422, Rejected, "The SQL could not be run",
        "See the detail, mend the statement and run it again.";
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl serde::Serialize for ErrorCode {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.as_str())
    }
}

impl<'de> serde::Deserialize<'de> for ErrorCode {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = <String as serde::Deserialize>::deserialize(d)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_round_trip() {
        let mut seen = std::collections::HashSet::new();
        for code in ErrorCode::ALL {
            assert!(seen.insert(code.as_str()), "{code} stands twice");
            assert_eq!(code.as_str().parse(), Ok(*code));
            assert!((400..600).contains(&code.http_status()));
        }
    }
}
