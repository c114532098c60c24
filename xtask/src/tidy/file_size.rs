//! Big files do not belong into the history: they can be made where they are needed.

use crate::offence::Offence;
use crate::tree::Tree;

const LIMIT: u64 = 512 << 10;

/// Looks at the size of every file.
pub fn check(tree: &Tree) -> Vec<Offence> {
    let big = tree.files().map(|path| (path, tree.size(path))).filter(|(_, size)| *size > LIMIT);
    big.map(|(path, size)| Offence::file(path, format!("{size} bytes, more than {LIMIT}: generate it instead")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::Planted;

    #[test]
    fn one_byte_too_many_is_refused() {
        let limit = usize::try_from(LIMIT).expect("the limit fits any machine");
        let planted = Planted::new().file("fits.csv", &"x".repeat(limit)).file("big.csv", &"x".repeat(limit + 1));
        assert_eq!(check(&planted.tree()).into_iter().map(|o| o.path).collect::<Vec<_>>(), ["big.csv"]);
    }
}
