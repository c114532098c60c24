//! The OpenAPI 3.1 document: the handlers' own descriptions, and what holds for all of them added in one place.

use utoipa::ToSchema;
use utoipa::openapi::path::{HttpMethod, Operation, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    Components, ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi, Ref, RefOr, Required, ResponseBuilder, Tag,
};

use crate::problem::{PROBLEM_JSON, ProblemBody};
use crate::router::routes;

/// The document.
pub fn openapi() -> OpenApi {
    let (_, mut document) = routes().split();
    document.info = InfoBuilder::new()
        .title("flyquery")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some("Files go in, typed and described tables that answer SQL come out."))
        .license(Some(LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0")).build()))
        .build();
    document.tags = Some(tags());
    let components = document.components.get_or_insert_with(Components::new);
    let mut schemas = Vec::new();
    ProblemBody::schemas(&mut schemas);
    components.schemas.extend(schemas);
    components.schemas.insert(ProblemBody::name().into_owned(), <ProblemBody as utoipa::PartialSchema>::schema());
    for (path, item) in &mut document.paths.paths {
        for operation in operations(item) {
            complete(path, operation);
        }
    }
    document
}

fn tags() -> Vec<Tag> {
    [
        ("service", "Version, health, metrics, and pages about problems"),
        ("workspaces", "The unit of isolation inside a tenant"),
        ("datasets", "Named groups of tables"),
        ("files", "Uploads"),
        ("tables", "Tables, their snapshots, changes and rows"),
        ("schema-objects", "What is known of tables and columns"),
        ("ingest-jobs", "The durable units of work, their ledger and its live stream"),
        ("sql", "Direct SQL over published snapshots"),
    ]
    .into_iter()
    .map(|(name, description)| TagBuilder::new().name(name).description(Some(description)).build())
    .collect()
}

/// The methods that a path answers, with their operations.
pub fn operations_of(item: &PathItem) -> Vec<(HttpMethod, &Operation)> {
    [
        (HttpMethod::Get, &item.get),
        (HttpMethod::Put, &item.put),
        (HttpMethod::Post, &item.post),
        (HttpMethod::Delete, &item.delete),
        (HttpMethod::Patch, &item.patch),
    ]
    .into_iter()
    .filter_map(|(method, operation)| Some((method, operation.as_ref()?)))
    .collect()
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.put, &mut item.post, &mut item.delete, &mut item.patch].into_iter().flatten()
}

/// Adds what every operation has: tenant headers, and problems as answers.
fn complete(path: &str, operation: &mut Operation) {
    let Some(resource) = path.strip_prefix("/api/v1/") else { return };
    if resource == "version" {
        return;
    }
    let parameters = operation.parameters.get_or_insert_with(Vec::new);
    parameters.push(header("X-Tenant-Id", "Tenant: a slug. Only the embedded home has a default."));
    if !resource.starts_with("workspaces") {
        parameters.push(header("X-Workspace-Id", "Workspace: a UUID or a slug. Only the embedded home has a default."));
    }
    parameters.push(header("X-Correlation-Id", "Comes back, and stands in logs and audit rows."));
    let mut problems = vec![("400", "Not well-formed, or tenant headers missing"), ("403", "Not allowed")];
    if resource.contains('{') || !resource.starts_with("workspaces") {
        problems.push(("404", "No such resource in this workspace"));
    }
    if operation.request_body.is_some() {
        problems.push(("409", "Conflicts with what is there"));
        problems.push(("413", "Too large"));
        problems.push(("415", "Another content type"));
    }
    problems.push(("422", "Well-formed but wrong"));
    problems.push(("500", "A defect of flyquery"));
    problems.push(("503", "Too much at once, or the database is away"));
    for (status, description) in problems {
        operation.responses.responses.entry(status.to_owned()).or_insert_with(|| problem(description));
    }
}

fn header(name: &str, description: &str) -> RefOr<Parameter> {
    let parameter = ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(description))
        .schema(Some(ObjectBuilder::new().schema_type(SchemaType::new(Type::String)).build()))
        .build();
    RefOr::T(parameter)
}

fn problem(description: &str) -> RefOr<utoipa::openapi::Response> {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(ProblemBody::name()))).build();
    RefOr::T(ResponseBuilder::new().description(description).content(PROBLEM_JSON, content).build())
}
