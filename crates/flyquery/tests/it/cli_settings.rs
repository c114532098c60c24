//! Settings and what the binary says of itself.

use crate::cli::{Home, json, text};

fn config(home: &Home, arguments: &[&str]) -> assert_cmd::Command {
    let mut command = home.flyquery(&["config"]);
    command.args(arguments);
    command
}

#[test]
fn every_setting_is_shown_with_its_value_and_origin() {
    let home = Home::new();
    home.file(".env", "FLYQUERY_MAX_FILE_MB=64 # small\nOTHER=1\n");
    let mut command = config(&home, &[]);
    command
        .env("flyquery_log_level", "debug")
        .env("FLYQUERY_DATABASE_URL", "postgresql+asyncpg://me:hunter2@db/flyquery");
    let done = command.assert().success();
    let shown = text(&done.get_output().stdout);
    assert!(!shown.contains("hunter2"), "{shown}");
    let shown: Vec<String> = shown
        .lines()
        .map(|line| {
            let cells: Vec<&str> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
            cells.join("  ").replace(&home.path().display().to_string(), "[home]")
        })
        .collect();
    insta::assert_snapshot!("config", shown.join("\n"));
}

#[test]
fn an_unknown_setting_stops_every_command_with_the_nearest_name() {
    let home = Home::new();
    for command in [vec!["config"], vec!["serve"], vec!["jobs", "list"]] {
        let failed = home.flyquery(&command).env("FLYQUERY_PROT", "1").assert().code(2);
        let told = text(&failed.get_output().stderr);
        assert_eq!(told, "error: FLYQUERY_PROT is not a setting; did you mean FLYQUERY_PORT?\n", "{command:?}");
    }
    assert!(!home.data().exists(), "nothing was made");
}

#[test]
fn a_setting_without_effect_is_told_with_the_reason() {
    let home = Home::new();
    let done = config(&home, &["--json"])
        .env("FLYQUERY_REDIS_URL", "redis://x")
        .env("FLYQUERY_TEST_X", "1")
        .assert()
        .success();
    let told = text(&done.get_output().stderr);
    assert!(told.starts_with("warning: FLYQUERY_REDIS_URL has no effect: ") && told.lines().count() == 1, "{told}");
    assert!(json(&done.get_output().stdout).as_array().is_some_and(|rows| rows.len() > 30));
}

#[test]
fn the_page_of_settings_is_the_one_the_code_gives() {
    let home = Home::new();
    let page = text(&config(&home, &["--markdown"]).assert().success().get_output().stdout);
    let written =
        std::fs::read_to_string(format!("{}/../../docs/settings.md", env!("CARGO_MANIFEST_DIR"))).expect("a page");
    assert!(
        page == written,
        "docs/settings.md is old: write it anew with `flyquery config --markdown > docs/settings.md`"
    );
}

#[test]
fn the_api_document_and_the_version_are_printed() {
    let home = Home::new();
    let document = json(&home.flyquery(&["openapi"]).assert().success().get_output().stdout);
    assert_eq!(document["openapi"], "3.1.0");
    let version = text(&home.flyquery(&["version"]).assert().success().get_output().stdout);
    assert_eq!(version, concat!("flyquery ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn a_closed_pipe_ends_a_command_quietly() {
    let home = Home::new();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_flyquery"));
    command.arg("openapi").env_clear().env("HOME", home.path()).stdout(writer).stderr(std::process::Stdio::piped());
    let ended = command.spawn().expect("starts").wait_with_output().expect("ends");
    assert_eq!((ended.status.code(), text(&ended.stderr)), (Some(0), String::new()));
}

#[test]
fn help_names_every_exit_code() {
    let home = Home::new();
    let help = text(&home.flyquery(&["--help"]).assert().success().get_output().stdout);
    insta::assert_snapshot!("help", help);
}
