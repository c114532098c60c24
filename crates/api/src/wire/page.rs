//! Envelopes of lists.

use serde::Serialize;
use utoipa::ToSchema;

/// A list with what is known about the rest of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Paginated<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// Items in all.
    pub total: Option<i64>,
    /// Items asked for.
    pub limit: Option<i64>,
    /// Items skipped.
    pub offset: Option<i64>,
    /// Whether more follow.
    pub has_more: Option<bool>,
}

impl<T> Paginated<T> {
    /// One page of a longer list. `limit` and `offset` are what the answer echoes.
    pub fn page(items: Vec<T>, total: i64, limit: i64, offset: i64) -> Self {
        let has_more = offset.max(0).saturating_add(items.len() as i64) < total;
        Self { items, total: Some(total), limit: Some(limit), offset: Some(offset), has_more: Some(has_more) }
    }

    /// A list that is always whole.
    pub fn whole(items: Vec<T>) -> Self {
        Self { total: Some(items.len() as i64), items, limit: None, offset: None, has_more: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_more_looks_past_this_page() {
        assert_eq!(Paginated::page(vec![1, 2], 5, 2, 2).has_more, Some(true));
        assert_eq!(Paginated::page(vec![5], 5, 2, 4).has_more, Some(false));
        assert_eq!(Paginated::page(Vec::<u8>::new(), 5, 2, 9).has_more, Some(false));
        assert_eq!(Paginated::whole(vec![1]).has_more, None);
    }
}
