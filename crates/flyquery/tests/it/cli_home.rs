//! Who holds a data directory, and how everybody else reaches it.

use serde_json::json;

use crate::cli::{Home, json, text};

#[test]
fn a_command_speaks_to_the_server_that_holds_the_directory() {
    let home = Home::new();
    let (server, url) = home.serve();
    let note = json(&std::fs::read(home.data().join("server.json")).expect("a note"));
    assert_eq!((&note["pid"], &note["url"]), (&json!(server.id()), &json!(url)));

    let file = home.file("t.csv", "v\n1\n");
    home.flyquery(&[std::path::Path::new("ingest"), &file]).assert().success();
    // Another home, told where to go, finds what the first command left with the server.
    let other = Home::new();
    let rows = other.flyquery(&["sql", "select v from t", "--format", "json", "--server", &url]).assert().success();
    assert_eq!(json(&rows.get_output().stdout), json!([{"v": 1}]));
    assert!(!other.data().exists(), "a named server needs no directory");
}

#[test]
fn a_second_server_names_the_first() {
    let home = Home::new();
    let (_server, url) = home.serve();
    let port = url.rsplit(':').next().expect("a port").to_owned();
    let same = home.flyquery(&["serve", "--port", &port]).assert().success();
    assert!(text(&same.get_output().stdout).starts_with(&format!("{url} already serves ")));
    let elsewhere = home.flyquery(&["serve", "--port", "0"]).assert().code(4);
    assert!(text(&elsewhere.get_output().stderr).contains(&format!("is served at {url} already")));
    let migrated = home.flyquery(&["migrate"]).assert().success();
    assert!(text(&migrated.get_output().stdout).contains(&url));
}

#[test]
fn both_signals_end_a_server_in_order() {
    for signal in ["TERM", "INT"] {
        let home = Home::new();
        let (server, _) = home.serve();
        server.signal(signal);
        assert_eq!(server.status().code(), Some(0), "{signal}");
        assert!(!home.data().join("server.json").exists(), "{signal}: the note went with the server");
        home.flyquery(&["jobs", "list"]).assert().success();
    }
}

#[test]
fn a_directory_of_a_killed_server_is_taken_over() {
    let home = Home::new();
    let (server, _) = home.serve();
    server.signal("KILL");
    assert_eq!(server.status().code(), None);
    assert!(home.data().join("server.json").exists(), "it had no time to clear up");
    home.flyquery(&["jobs", "list"]).assert().success();
}

#[test]
fn commands_at_the_same_time_share_one_home() {
    let home = Home::new();
    let names: Vec<String> = (0..4).map(|n| format!("t{n}")).collect();
    let files: Vec<String> =
        names.iter().map(|name| home.file(&format!("{name}.csv"), "v\n7\n").display().to_string()).collect();
    let running: Vec<_> = files.iter().map(|file| home.background(&["ingest", file])).collect();
    for command in running {
        let ended = command.output();
        assert!(ended.status.success(), "{}{}", text(&ended.stdout), text(&ended.stderr));
    }
    for name in names {
        assert_eq!(home.rows(&format!("select v from {name}")), json!([{"v": 7}]));
    }
}

#[test]
fn a_server_that_is_not_there_has_an_exit_code_of_its_own() {
    let home = Home::new();
    let away = home.flyquery(&["jobs", "list", "--server", "http://127.0.0.1:9"]).assert().code(3);
    assert!(text(&away.get_output().stderr).starts_with("error: cannot reach the server at http://127.0.0.1:9: "));
}

#[test]
fn a_directory_that_can_not_be_made_is_named() {
    let home = Home::new();
    let file = home.file("plain", "");
    let failed = home.flyquery(&["jobs", "list", "--data-dir", &format!("{}/data", file.display())]).assert().code(4);
    assert!(text(&failed.get_output().stderr).starts_with("error: cannot make the data directory "));
}

#[test]
fn migrating_twice_applies_nothing_the_second_time() {
    let home = Home::new();
    let first = text(&home.flyquery(&["migrate"]).assert().success().get_output().stdout);
    let second = text(&home.flyquery(&["migrate"]).assert().success().get_output().stdout);
    assert!(!first.starts_with("0 migrations") && second.starts_with("0 migrations applied"), "{first}{second}");
}
