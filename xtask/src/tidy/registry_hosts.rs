//! No file names the host of a package registry: where packages come from is the builder's setting, not the project's.
//!
//! `Cargo.lock` may name the default registry of cargo, and nothing else.

use crate::offence::Offence;
use crate::tree::Tree;

const LOCK: &str = "Cargo.lock";
/// What the lock file says of a package from the default registry.
const DEFAULT: &str = concat!("registry+https://github.com/rust-lang/cra", "tes.io-index");
/// Hosts, spelled in parts so that this file does not refuse itself.
const HOSTS: [&str; 10] = [
    concat!("index.cra", "tes.io"),
    concat!("static.cra", "tes.io"),
    concat!("rust-lang/cra", "tes.io-index"),
    concat!("pypi.", "org"),
    concat!("pythonhosted.", "org"),
    concat!("deb.", "debian.org"),
    concat!("security.", "debian.org"),
    concat!("archive.", "ubuntu.com"),
    concat!("npm", "js.org"),
    concat!("proxy.", "golang.org"),
];

/// Reads every text file.
pub fn check(tree: &Tree) -> Vec<Offence> {
    tree.texts().flat_map(|(path, text)| if path == LOCK { in_lock(&text) } else { in_file(path, &text) }).collect()
}

fn in_file(path: &str, text: &str) -> Vec<Offence> {
    let lines = text.lines().enumerate();
    let found = lines.filter_map(|(index, line)| Some((index, HOSTS.iter().find(|host| line.contains(**host))?)));
    found.map(|(index, host)| Offence::line(path, index, format!("{host} is the builder's business"))).collect()
}

fn in_lock(text: &str) -> Vec<Offence> {
    let foreign = |line: &str| line.starts_with("source = ") && line != format!("source = \"{DEFAULT}\"");
    let lines = text.lines().enumerate().filter(|(_, line)| foreign(line));
    lines.map(|(index, line)| Offence::line(LOCK, index, format!("{line} is not the default registry"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::Planted;

    #[test]
    fn each_host_is_refused() {
        for host in HOSTS {
            let planted = Planted::new().file("scripts/a", &format!("fetch https://{host}/x\n"));
            assert_eq!(check(&planted.tree()).len(), 1, "{host}");
        }
    }

    #[test]
    fn the_lock_file_may_name_the_default_registry_only() {
        let lock = |source: &str| Planted::new().file(LOCK, &format!("[[package]]\nsource = \"{source}\"\n"));
        assert_eq!(check(&lock(DEFAULT).tree()), []);
        assert_eq!(check(&lock("git+https://example.com/x#1").tree()).len(), 1);
    }
}
