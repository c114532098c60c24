//! `TestDb`: a migrated database with a workspace and a dataset in it.

use std::future::Future;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use db::datasets::{self, NewDataset};
use db::workspaces::{self, NewWorkspace};
use db::{Db, DbSettings, DbUrl, Tx};
use domain::ports::clock::Entropy as _;
use domain::{DatasetId, Locale, Scope, TenantId, WorkspaceId};

use crate::entropy::TestEntropy;
use crate::postgres::FreshPostgres;

/// A fresh database: tenant `acme`, workspace `main`, dataset `sales`. Use it as a [`Db`].
pub struct TestDb {
    db: Db,
    url: DbUrl,
    scope: Scope,
    dataset: DatasetId,
    ids: Arc<TestEntropy>,
}

impl Deref for TestDb {
    type Target = Db;
    fn deref(&self) -> &Db {
        &self.db
    }
}

impl TestDb {
    async fn open(url: DbUrl) -> Self {
        let db = connect(&url).await;
        db.migrate().await.expect("an empty database migrates");
        let ids = Arc::new(TestEntropy::default());
        let tenant = TenantId::new("acme").expect("a slug");
        let scope = Scope { tenant, workspace: WorkspaceId(ids.id()) };
        let tx = db.tenant(&scope.tenant).await.expect("a transaction");
        workspaces::insert(&tx, &new_workspace(scope.workspace, "main")).await.expect("a workspace");
        tx.commit().await.expect("committed");
        let dataset = DatasetId(ids.id());
        let tx = db.scope(&scope).await.expect("a transaction");
        datasets::insert(&tx, &NewDataset::named(dataset, "sales")).await.expect("a dataset");
        tx.commit().await.expect("committed");
        Self { db, url, scope, dataset, ids }
    }

    /// The database itself, for what takes it by value.
    pub fn db(&self) -> Db {
        self.db.clone()
    }

    /// Another connection pool on the same database, as another process would have.
    pub async fn second(&self) -> Db {
        connect(&self.url).await
    }

    /// Where it is.
    pub fn url(&self) -> &DbUrl {
        &self.url
    }

    /// Tenant and workspace that are ready to use. `db.db().scope(&other)` opens a transaction of another one.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The dataset that is ready to use.
    pub fn dataset(&self) -> DatasetId {
        self.dataset
    }

    /// Where new ids come from.
    pub fn ids(&self) -> Arc<TestEntropy> {
        Arc::clone(&self.ids)
    }

    /// A new id of any kind.
    pub fn id<T: From<uuid::Uuid>>(&self) -> T {
        self.ids.id().into()
    }

    /// A write transaction of the ready workspace.
    pub async fn tx(&self) -> Tx {
        self.db.scope(&self.scope).await.expect("a transaction")
    }

    /// A read transaction of the ready workspace.
    pub async fn read(&self) -> Tx {
        self.db.scope_read(&self.scope).await.expect("a transaction")
    }

    /// Another workspace of the tenant, or of another one.
    pub async fn other_scope(&self, tenant: &str) -> Scope {
        let tenant = TenantId::new(tenant).expect("a slug");
        let scope = Scope { tenant, workspace: WorkspaceId(self.ids.id()) };
        let tx = self.db.tenant(&scope.tenant).await.expect("a transaction");
        workspaces::insert(&tx, &new_workspace(scope.workspace, "other")).await.expect("a workspace");
        tx.commit().await.expect("committed");
        scope
    }
}

fn new_workspace(id: WorkspaceId, slug: &str) -> NewWorkspace {
    NewWorkspace {
        id,
        slug: slug.to_owned(),
        name: format!("Workspace {slug}"),
        kms_key_uri: None,
        retention_days: None,
        allow_direct_sql: true,
        default_locale: Locale::default(),
        metadata: serde_json::json!({}),
    }
}

async fn connect(url: &DbUrl) -> Db {
    let settings = DbSettings { url: url.clone(), max_connections: 8, acquire_timeout: Duration::from_secs(20) };
    Db::connect(settings).await.expect("the database answers")
}

fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(future)
}

/// Runs a test on a SQLite file in a temporary folder.
pub fn run_on_sqlite<F: Future<Output = ()>>(test: impl FnOnce(TestDb) -> F) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    block_on(async {
        let db = TestDb::open(DbUrl::Sqlite(folder.path().join("flyquery.db"))).await;
        let pool = db.db();
        test(db).await;
        pool.close().await;
    });
}

/// Runs a test on a Postgres database of its own.
pub fn run_on_postgres<F: Future<Output = ()>>(test: impl FnOnce(TestDb) -> F) {
    block_on(async {
        let fresh = FreshPostgres::create().await;
        let db = TestDb::open(DbUrl::Postgres(fresh.url())).await;
        let pool = db.db();
        test(db).await;
        pool.close().await;
        fresh.remove().await;
    });
}
