//! What every object store must do, and what the local one promises beyond it.

use std::path::Path as FilePath;
use std::sync::Arc;

use bytes::Bytes;
use flyquery_adapters::object_storage::{StagingReport, clean_staging, local};
use futures::TryStreamExt;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutMode, PutPayload};
use tempfile::TempDir;

type Store = Arc<dyn ObjectStore>;

async fn put(store: &Store, key: &str, bytes: impl Into<PutPayload>) {
    store.put(&Path::from(key), bytes.into()).await.expect("put");
}

async fn get(store: &Store, key: &str) -> Result<Bytes, Error> {
    store.get(&Path::from(key)).await?.bytes().await
}

async fn keys(store: &Store, prefix: &str) -> Vec<String> {
    let prefix = (!prefix.is_empty()).then(|| Path::from(prefix));
    let found: Vec<_> = store.list(prefix.as_ref()).try_collect().await.expect("list");
    let mut keys: Vec<String> = found.into_iter().map(|meta| meta.location.to_string()).collect();
    keys.sort();
    keys
}

fn is_missing<T>(result: &Result<T, Error>) -> bool {
    matches!(result, Err(Error::NotFound { .. }))
}

async fn what_was_put_is_read_whole_and_in_ranges(store: Store) {
    put(&store, "t/w/d/files/a.csv", "0123456789").await;
    put(&store, "t/w/d/files/empty", "").await;
    assert_eq!(get(&store, "t/w/d/files/a.csv").await.expect("there"), "0123456789");
    assert_eq!(get(&store, "t/w/d/files/empty").await.expect("there"), "");
    let key = Path::from("t/w/d/files/a.csv");
    assert_eq!(store.get_range(&key, 3..6).await.expect("range"), "345");
    assert_eq!(store.get_ranges(&key, &[0..1, 8..10]).await.expect("ranges"), ["0", "89"]);
    assert!(store.get_range(&key, 20..30).await.is_err(), "past the end");
    assert_eq!(store.head(&key).await.expect("head").size, 10);
    assert!(is_missing(&get(&store, "t/w/d/files/other").await));
    assert!(is_missing(&store.head(&Path::from("t/w/d")).await), "a prefix is no object");
}

async fn a_put_that_must_create_does_not_replace(store: Store) {
    put(&store, "k", "first").await;
    let again = store.put_opts(&Path::from("k"), "second".into(), PutMode::Create.into()).await;
    assert!(matches!(again, Err(Error::AlreadyExists { .. })), "{again:?}");
    assert_eq!(get(&store, "k").await.expect("there"), "first");
    put(&store, "k", "third").await;
    assert_eq!(get(&store, "k").await.expect("there"), "third");
}

async fn listing_sees_exactly_the_objects_below_a_prefix(store: Store) {
    for key in ["a/b/1", "a/b/2", "a/bc/3", "z"] {
        put(&store, key, "x").await;
    }
    assert_eq!(keys(&store, "a/b").await, ["a/b/1", "a/b/2"]);
    assert_eq!(keys(&store, "").await, ["a/b/1", "a/b/2", "a/bc/3", "z"]);
    assert_eq!(keys(&store, "nothing").await, [""; 0]);
    let top = store.list_with_delimiter(None).await.expect("list");
    assert_eq!(top.common_prefixes, [Path::from("a")]);
    assert_eq!(top.objects.len(), 1);
}

async fn deleting_is_exact_and_a_second_delete_says_missing(store: Store) {
    put(&store, "a/1", "x").await;
    put(&store, "a/2", "x").await;
    store.delete(&Path::from("a/1")).await.expect("delete");
    assert_eq!(keys(&store, "a").await, ["a/2"]);
    assert!(is_missing(&store.delete(&Path::from("a/1")).await));
}

async fn an_upload_in_parts_appears_only_when_complete(store: Store) {
    let key = Path::from("a/big");
    let mut upload = store.put_multipart(&key).await.expect("begin");
    let first = upload.put_part(vec![b'a'; 6 << 20].into());
    let second = upload.put_part(vec![b'b'; 6 << 20].into());
    futures::future::try_join(first, second).await.expect("parts");
    upload.put_part("tail".into()).await.expect("part");
    assert!(is_missing(&store.head(&key).await), "not there before complete");
    assert_eq!(keys(&store, "a").await, [""; 0]);
    upload.complete().await.expect("complete");
    let bytes = get(&store, "a/big").await.expect("there");
    assert_eq!(bytes.len(), (12 << 20) + 4);
    assert_eq!(&bytes[(6 << 20) - 1..=6 << 20], b"ab");
    assert!(bytes.ends_with(b"tail"));
}

async fn an_aborted_upload_leaves_nothing(store: Store) {
    let mut upload = store.put_multipart(&Path::from("a/gone")).await.expect("begin");
    upload.put_part("x".into()).await.expect("part");
    upload.abort().await.expect("abort");
    assert_eq!(keys(&store, "").await, [""; 0]);
}

async fn copies_and_renames_keep_the_bytes(store: Store) {
    put(&store, "a/1", "x").await;
    store.copy(&Path::from("a/1"), &Path::from("b/2")).await.expect("copy");
    store.rename(&Path::from("a/1"), &Path::from("c/3")).await.expect("rename");
    assert_eq!(keys(&store, "").await, ["b/2", "c/3"]);
    assert_eq!(get(&store, "c/3").await.expect("there"), "x");
}

struct LocalStore {
    folder: TempDir,
    store: Store,
}

fn local_store() -> LocalStore {
    let folder = tempfile::tempdir().expect("a folder");
    let store = local(&folder.path().join("objects")).expect("a store");
    LocalStore { folder, store }
}

impl LocalStore {
    fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("objects")
    }
}

macro_rules! contract {
    ($($name:ident),+ $(,)?) => {
        mod local_files_keep_the_contract {
            $(#[tokio::test]
            async fn $name() {
                let fresh = super::local_store();
                super::$name(fresh.store.clone()).await;
            })+
        }
    };
}

contract![
    what_was_put_is_read_whole_and_in_ranges,
    a_put_that_must_create_does_not_replace,
    listing_sees_exactly_the_objects_below_a_prefix,
    deleting_is_exact_and_a_second_delete_says_missing,
    an_upload_in_parts_appears_only_when_complete,
    an_aborted_upload_leaves_nothing,
    copies_and_renames_keep_the_bytes,
];

#[tokio::test]
async fn the_last_delete_of_a_local_folder_removes_the_folder() {
    let fresh = local_store();
    put(&fresh.store, "t/w/d/1", "x").await;
    fresh.store.delete(&Path::from("t/w/d/1")).await.expect("delete");
    assert!(!fresh.root().join("t").exists());
    assert!(fresh.root().exists());
}

#[tokio::test]
async fn hostile_keys_stay_below_the_root() {
    let fresh = local_store();
    std::fs::write(fresh.folder.path().join("secret"), "secret").expect("write");
    let keys = ["../secret", "a/../../secret", "..%2Fsecret", "..\\secret", "a\0b"].map(Path::from);
    for key in &keys {
        assert!(fresh.store.get(key).await.is_err(), "{key} must not be readable");
    }
    for key in &keys {
        // Either refused, or stored under a harmless name below the root.
        let _ = fresh.store.put(key, "overwritten".into()).await;
    }
    assert_eq!(std::fs::read_to_string(fresh.folder.path().join("secret")).expect("read"), "secret");
    assert_eq!(std::fs::read_dir(fresh.folder.path()).expect("list").count(), 2, "objects and secret, nothing else");
}

#[cfg(unix)]
#[tokio::test]
async fn symbolic_links_below_the_root_are_neither_followed_nor_listed() {
    let fresh = local_store();
    let outside = fresh.folder.path().join("outside");
    std::fs::create_dir(&outside).expect("folder");
    std::fs::write(outside.join("secret"), "secret").expect("write");
    std::os::unix::fs::symlink(&outside, fresh.root().join("way")).expect("link");
    std::os::unix::fs::symlink(outside.join("secret"), fresh.root().join("file")).expect("link");

    assert!(get(&fresh.store, "way/secret").await.is_err());
    assert!(get(&fresh.store, "file").await.is_err());
    assert!(fresh.store.put(&Path::from("way/new"), "x".into()).await.is_err());
    assert!(fresh.store.delete(&Path::from("way/secret")).await.is_err());
    assert_eq!(keys(&fresh.store, "").await, [""; 0]);
    assert_eq!(keys(&fresh.store, "way").await, [""; 0]);
    let top = fresh.store.list_with_delimiter(None).await.expect("list");
    assert!(top.common_prefixes.is_empty() && top.objects.is_empty());

    fresh.store.delete(&Path::from("file")).await.expect("a link itself can go");
    assert_eq!(std::fs::read_to_string(outside.join("secret")).expect("still there"), "secret");
    assert!(!outside.join("new").exists());
}

#[tokio::test]
async fn a_root_that_is_itself_a_link_works() {
    let fresh = local_store();
    let link = fresh.folder.path().join("link");
    #[cfg(unix)]
    std::os::unix::fs::symlink(fresh.root(), &link).expect("link");
    let store = local(&link).expect("a store");
    put(&store, "a", "x").await;
    assert_eq!(get(&fresh.store, "a").await.expect("there"), "x");
}

#[tokio::test]
async fn the_cleaner_removes_what_a_crash_left_and_nothing_else() {
    let fresh = local_store();
    put(&fresh.store, "t/d/files/whole.csv", "whole").await;
    let mut upload = fresh.store.put_multipart(&Path::from("t/d/files/half.csv")).await.expect("begin");
    upload.put_part("half".into()).await.expect("part");
    // A crash runs no destructor.
    std::mem::forget(upload);
    let mut lonely = fresh.store.put_multipart(&Path::from("t/e/tables/lonely")).await.expect("begin");
    lonely.put_part("abc".into()).await.expect("part");
    std::mem::forget(lonely);

    assert_eq!(clean_staging(&fresh.root()).expect("clean"), StagingReport { files: 2, bytes: 7 });
    assert_eq!(files_below(&fresh.root()), ["whole.csv"]);
    assert!(!fresh.root().join("t/e").exists(), "folders it emptied are gone");
    assert_eq!(clean_staging(&fresh.root()).expect("clean"), StagingReport::default());
}

fn files_below(folder: &FilePath) -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).expect("list") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            names.extend(files_below(&path));
        } else {
            names.push(path.file_name().expect("a name").to_string_lossy().into_owned());
        }
    }
    names
}
