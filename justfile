# Shortcuts; `just` without arguments lists them. Nothing here does what a plain command could not.

_list:
    @just --list --unsorted

# everything that a change must pass
ci:
    .ci/run

# every test, with a PostgreSQL of its own; arguments go to cargo test
test *arguments:
    scripts/test {{ arguments }}

# the gates that take seconds
check:
    cargo fmt --all --check
    cargo xtask tidy
    cargo clippy --workspace --all-targets -- -D warnings

# mend the format
fmt:
    cargo fmt --all

# write openapi.json anew from the code
openapi:
    cargo run --quiet --bin flyquery -- openapi > openapi.json.new && mv openapi.json.new openapi.json

# judge a folder of real files
corpus folder *arguments:
    cargo xtask corpus {{ folder }} {{ arguments }}

# accept what the snapshot tests now say, after reading it
accept:
    INSTA_UPDATE=always scripts/test

# a server of one's own in a throw-away folder
serve:
    cargo run --bin flyquery -- serve --data-dir target/dev-data
