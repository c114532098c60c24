//! Runs the judge on small corpora made here.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use std::process::Command;
use tempfile::TempDir;

const HEAD: &str = "path\tsource\tformat\tbytes\texpected\trows\tcols\ttables\tby\tdetail\n";

/// A corpus of files, each with the manifest's words on it.
fn corpus(files: &[(&str, &[u8], &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let mut manifest = HEAD.to_owned();
    for (name, bytes, expected) in files {
        let path = folder.path().join("files").join(name);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("folders can be made");
        fs::write(path, bytes).expect("files can be written");
        writeln!(manifest, "{name}\town\tcsv\t{}\t{expected}\t\t\t", bytes.len()).expect("a String takes all text");
    }
    fs::write(folder.path().join("manifest.tsv"), manifest).expect("files can be written");
    folder
}

fn judge(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flyquery-corpus"));
    let output = command.arg(folder).args(arguments).output().expect("the judge can be started");
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn files_that_are_read_and_refused_as_expected_pass() {
    let folder = corpus(&[("a/good.csv", b"id,name\n1,x\n2,y\n", "ok\t2\t2"), ("void.csv", b"", "reject\t\t")]);
    let (passed, table) = judge(folder.path(), &["--floor", "100"]);
    assert!(passed, "{table}");
    assert!(table.contains("100.00 % of 2"), "{table}");
}

#[test]
fn a_share_below_the_floor_fails_and_is_explained() {
    let folder = corpus(&[("good.csv", b"id,name\n1,x\n2,y\n", "ok\t9\t2")]);
    let (passed, table) = judge(folder.path(), &["--floor", "50", "--verbose"]);
    assert!(!passed, "{table}");
    assert!(table.contains("good.csv: read as 2x2, not 9x2"), "{table}");
}

#[test]
fn a_file_that_is_not_there_is_a_crash() {
    let folder = corpus(&[("gone.csv", b"a\n1\n", "ok\t1\t1")]);
    fs::remove_file(folder.path().join("files/gone.csv")).expect("files can be removed");
    let (passed, table) = judge(folder.path(), &["--floor", "0"]);
    assert!(!passed, "{table}");
    assert!(table.contains("crashed  gone.csv"), "{table}");
}

#[test]
fn a_folder_without_a_manifest_is_an_error() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    assert!(!judge(folder.path(), &[]).0);
}
