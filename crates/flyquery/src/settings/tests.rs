//! What the settings promise: precedence, checks, names.

use super::*;

fn load<const N: usize>(variables: [(&str, &str); N], flags: &[Override]) -> Result<Loaded, SettingsError> {
    Settings::load(&with_home(variables), flags)
}

fn with_home<const N: usize>(variables: [(&str, &str); N]) -> Environment {
    let lines = variables.map(|(name, value)| format!("{name}='{value}'\n"));
    Environment::of([("HOME", "/h")], &lines.concat())
}

#[test]
fn without_settings_the_home_is_embedded_on_the_loopback() {
    let settings = load([], &[]).expect("defaults hold").settings;
    assert!(settings.is_embedded());
    assert_eq!((settings.host(), settings.server.port), ("127.0.0.1", 8520));
    assert_eq!(settings.objects_dir(), Path::new("/h/.local/share/flyquery/blobs"));
}

#[test]
fn a_postgres_url_opens_the_host() {
    let loaded = load([("FLYQUERY_DATABASE_URL", "postgresql+asyncpg://u:secret@h/d")], &[]).expect("valid");
    assert!(!loaded.settings.is_embedded());
    assert_eq!(loaded.settings.host(), "0.0.0.0");
    assert!(!format!("{:?}", loaded.settings).contains("secret"));
}

#[test]
fn flags_win_over_variables() {
    let flag = Override { name: "PORT", flag: "--port", text: "99".into() };
    let settings = load([("flyquery_port", "98")], &[flag]).expect("valid").settings;
    assert_eq!(settings.server.port, 99);
    assert_eq!(settings.origin("PORT").to_string(), "--port");
}

#[test]
fn an_unknown_name_is_refused_with_the_nearest_one() {
    let errors = load([("FLYQUERY_PROT", "1"), ("FLYQUERY_XYZZY_PLUGH", "1")], &[]).expect_err("refused").0;
    assert_eq!(errors[0], "FLYQUERY_PROT is not a setting; did you mean FLYQUERY_PORT?");
    assert_eq!(errors[1], "FLYQUERY_XYZZY_PLUGH is not a setting; `flyquery config` lists them all");
}

#[test]
fn a_variable_of_the_contract_without_effect_warns_with_the_reason() {
    let loaded = load([("FLYQUERY_RRF_K", "60"), ("FLYQUERY_TEST_ANYTHING", "1")], &[]).expect("valid");
    assert_eq!(
        loaded.warnings,
        ["FLYQUERY_RRF_K has no effect: questions in plain language are not part of this service"]
    );
}

#[test]
fn every_wrong_value_is_named_at_once_and_never_shown() {
    let wrong = [("FLYQUERY_PORT", "hunter2"), ("FLYQUERY_INGEST_MAX_ATTEMPTS", "0"), ("FLYQUERY_OBJECT_STORE", "s3")];
    let errors = load(wrong, &[]).expect_err("refused").0;
    assert_eq!(
        errors,
        [
            "FLYQUERY_PORT (.env line 1) must be a whole number up to 65535",
            "FLYQUERY_OBJECT_STORE (.env line 3) must be local: this version has no adapter for s3",
            "FLYQUERY_INGEST_MAX_ATTEMPTS (.env line 2) must be between 1 and 100",
        ]
    );
}

#[test]
fn the_lease_must_exceed_timeout_and_grace() {
    let errors = load([("FLYQUERY_PROCESSING_LEASE_S", "630")], &[]).expect_err("refused").0;
    assert!(errors[0].starts_with("FLYQUERY_PROCESSING_LEASE_S (630) must exceed"), "{errors:?}");
    assert!(load([("FLYQUERY_PROCESSING_LEASE_S", "630.5")], &[]).is_ok(), "fractions count");
}

#[test]
fn no_name_is_declared_twice_or_both_used_and_unused() {
    let mut seen = std::collections::HashSet::new();
    for (_, specs) in sections() {
        for spec in specs {
            assert!(seen.insert(spec.name), "{} stands twice", spec.name);
            assert_eq!(unused::reason(spec.name), None, "{} is both used and unused", spec.name);
        }
    }
    for name in unused::UNUSED.iter().flat_map(|group| group.names) {
        assert!(seen.insert(name), "{name} stands twice");
    }
}

#[test]
fn every_default_is_within_its_own_bounds() {
    let loaded = load([], &[]).expect("defaults hold");
    for (name, value) in loaded.settings.shown() {
        let flag = Override { name, flag: "--x", text: value.clone() };
        assert!(load([], &[flag]).is_ok(), "{name}={value}");
    }
}
