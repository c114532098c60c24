//! Words that mean the same in business data: who looks for the buyer's mail finds `customers.email`.

use std::collections::HashSet;

use crate::words::singular;

/// Each line is a set; a word may stand in several.
const SETS: &[&[&str]] = &[
    &["customer", "client", "buyer", "purchaser", "account"],
    &["supplier", "vendor", "seller", "provider"],
    &["employee", "staff", "worker", "personnel"],
    &["person", "user", "member", "contact"],
    &["company", "organisation", "organization", "firm", "business"],
    &["email", "mail"],
    &["phone", "telephone", "mobile", "tel", "cell"],
    &["address", "street", "location"],
    &["city", "town", "place"],
    &["postal", "zip", "postcode", "plz"],
    &["country", "nation"],
    &["region", "area", "territory"],
    &["price", "amount", "cost", "charge", "fee"],
    &["amount", "total", "sum", "value"],
    &["revenue", "sales", "turnover", "income"],
    &["salary", "wage", "pay"],
    &["discount", "rebate", "reduction"],
    &["tax", "vat", "gst"],
    &["currency", "money"],
    &["quantity", "qty", "count", "number", "units"],
    &["order", "purchase"],
    &["invoice", "bill"],
    &["payment", "transaction", "transfer"],
    &["product", "item", "article", "sku", "goods"],
    &["category", "group", "class", "type", "kind"],
    &["shipping", "shipment", "shipped", "delivery", "delivered", "dispatch"],
    &["stock", "inventory"],
    &["warehouse", "depot"],
    &["date", "day", "when"],
    &["datetime", "timestamp", "time"],
    &["birthday", "birth", "dob", "born"],
    &["created", "added", "registered", "signup", "joined"],
    &["updated", "modified", "changed"],
    &["id", "identifier", "key"],
    &["name", "title", "label"],
    &["description", "text", "details"],
    &["comment", "note", "remark"],
    &["status", "state", "stage"],
    &["rating", "score", "stars", "review"],
    &["percent", "percentage", "pct", "ratio"],
    &["weight", "mass"],
    &["image", "picture", "photo"],
    &["url", "link", "website"],
    &["gender", "sex"],
];

/// Other words for a word in lower case, singular or plural; none when it stands in no set.
pub fn synonyms(word: &str) -> Vec<&'static str> {
    let one = singular(word);
    let is = |other: &str| other == word || other == one;
    let mut seen = HashSet::new();
    let sets = SETS.iter().filter(|set| set.iter().any(|other| is(other)));
    sets.flat_map(|set| set.iter().copied()).filter(|other| !is(other) && seen.insert(*other)).collect()
}

/// Every word of the sets.
pub fn all() -> impl Iterator<Item = &'static str> {
    SETS.iter().flat_map(|set| set.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn business_words_have_others_in_both_directions() {
        assert!(synonyms("buyers").contains(&"customer"));
        assert!(synonyms("customer").contains(&"buyer"));
        assert_eq!(synonyms("mail"), ["email"]);
        assert!(synonyms("amount").contains(&"price") && synonyms("amount").contains(&"total"));
        assert!(synonyms("zebra").is_empty());
    }

    #[test]
    fn sets_hold_single_words_in_lower_case_and_each_once() {
        for set in SETS {
            let different: HashSet<&&str> = set.iter().collect();
            assert_eq!(different.len(), set.len(), "{set:?}");
            for word in *set {
                assert_eq!(domain::search::words(word), [*word], "{set:?}");
            }
        }
    }
}
