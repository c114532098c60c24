//! A router and the document of its routes, grown together from the handlers' own descriptions.

use axum::Router;
use utoipa::openapi::{Components, OpenApi, OpenApiBuilder};
use utoipa_axum::router::UtoipaMethodRouter;

use crate::layers::verbs;
use crate::state::App;

/// Routes with their document.
pub struct Routes {
    router: Router<App>,
    document: OpenApi,
}

impl Routes {
    /// None yet.
    pub fn new() -> Self {
        Self { router: Router::new(), document: OpenApiBuilder::new().build() }
    }

    /// Adds the handlers of one path, as `utoipa_axum::routes!` gives them. A custom verb after a path parameter is
    /// documented as clients write it and routed as the router can (see [`verbs`]).
    pub fn add(mut self, (schemas, paths, methods): UtoipaMethodRouter<App>) -> Self {
        for (path, item) in paths.paths {
            self.router = self.router.route(&verbs::route_of(&path), methods.clone());
            self.document.paths.paths.insert(path, item);
        }
        self.document.components.get_or_insert_with(Components::new).schemas.extend(schemas);
        self
    }

    /// The two apart.
    pub fn split(self) -> (Router<App>, OpenApi) {
        (self.router, self.document)
    }
}
