//! Every route on one page, and the layers around them.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::Uri;
use axum::middleware::from_fn_with_state;
use bytes::Bytes;
use domain::ErrorCode;
use tower::ServiceBuilder;
use tower::util::MapRequestLayer;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::routes;

use crate::layers::{envelope, host, linger, measure, places, verbs};
use crate::openapi;
use crate::problem::{Problem, page};
use crate::resources::{
    datasets, files, ingest_jobs, relations, schema_changes, schema_objects, service, sql, tables, workspaces,
};
use crate::routes::Routes;
use crate::state::{ApiState, App};

/// The routes.
pub fn routes() -> Routes {
    Routes::new()
        // service
        .add(routes!(service::version))
        .add(routes!(service::health))
        .add(routes!(service::liveness))
        .add(routes!(service::readiness))
        .add(routes!(service::info))
        .add(routes!(service::metrics))
        .add(routes!(service::openapi))
        .add(routes!(page::list))
        .add(routes!(page::show))
        // workspaces
        .add(routes!(workspaces::create::create, workspaces::list::list))
        .add(routes!(workspaces::get::by_slug))
        .add(routes!(workspaces::get::by_id, workspaces::update::update))
        // datasets
        .add(routes!(datasets::create::create, datasets::list::list))
        .add(routes!(datasets::get::by_name))
        .add(routes!(datasets::get::by_id, datasets::update::update, datasets::archive::archive))
        // files
        .add(routes!(files::upload::sync))
        .add(routes!(files::upload::later))
        .add(routes!(files::reupload::reupload))
        // tables
        .add(routes!(tables::list::of_dataset))
        .add(routes!(tables::list::list))
        .add(routes!(tables::get::by_name))
        .add(routes!(tables::get::by_id))
        .add(routes!(tables::objects::list))
        .add(routes!(tables::snapshots::list))
        .add(routes!(tables::snapshots::get))
        .add(routes!(tables::changes::list))
        .add(routes!(tables::rows::list))
        // schema objects
        .add(routes!(schema_objects::get::by_id, schema_objects::update::update))
        .add(routes!(schema_objects::search::search))
        .add(routes!(schema_objects::rename_merge::merge))
        .add(routes!(schema_changes::confirm::confirm))
        // relations
        .add(routes!(relations::list::list, relations::create::create))
        .add(routes!(relations::decide::approve))
        .add(routes!(relations::decide::reject))
        .add(routes!(relations::delete::delete))
        // ingest jobs
        .add(routes!(ingest_jobs::create::create, ingest_jobs::list::list))
        .add(routes!(ingest_jobs::get::by_id))
        .add(routes!(ingest_jobs::events::list))
        .add(routes!(ingest_jobs::stream::follow))
        .add(routes!(ingest_jobs::cancel::cancel))
        // SQL
        .add(routes!(sql::execute::execute))
}

/// The whole service.
pub fn router(state: ApiState) -> Router {
    let document = openapi::openapi();
    let verbs = verbs::Verbs::of(document.paths.paths.keys().map(String::as_str));
    let json = document.to_json().expect("the document has only string keys");
    let app = App::new(state, Bytes::from(json));
    let (routes, _) = routes().split();
    let served = routes
        .fallback(unknown_path)
        .method_not_allowed_fallback(unknown_method)
        .layer(
            ServiceBuilder::new()
                .layer(from_fn_with_state(app.clone(), envelope::envelope))
                .layer(from_fn_with_state(app.clone(), measure::measure))
                .layer(from_fn_with_state(app.clone(), linger::linger))
                .layer(from_fn_with_state(app.clone(), host::check_host))
                .layer(from_fn_with_state(app.clone(), places::take_place))
                .layer(CatchPanicLayer::custom(measure::panicked))
                .layer(DefaultBodyLimit::disable()),
        )
        .with_state(app);
    // The rewriting must happen before the path is matched, so it goes around the router.
    let rewritten =
        ServiceBuilder::new().layer(MapRequestLayer::new(move |request| verbs.rewrite(request))).service(served);
    Router::new().fallback_service(rewritten)
}

async fn unknown_path(uri: Uri) -> Problem {
    Problem::new(ErrorCode::ResourceNotFound).detail(format!("There is no route {}.", uri.path()))
}

async fn unknown_method() -> Problem {
    Problem::new(ErrorCode::MethodNotAllowed)
}
