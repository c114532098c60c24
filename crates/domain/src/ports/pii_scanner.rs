//! Finding personal data. The pattern scanner lives in `annotate`.

use crate::schema::SqlType;
use crate::semantic::PiiTag;

/// Looks at columns and values.
pub trait PiiScanner: Send + Sync + 'static {
    /// What a single value looks like; `None` when it is no personal data.
    fn value(&self, text: &str) -> Option<PiiTag>;
    /// What a column holds, by its name, type and a sample of its values; `PiiTag::None` when nothing.
    fn column(&self, name: &str, sql_type: &SqlType, values: &[String]) -> PiiTag;
}
