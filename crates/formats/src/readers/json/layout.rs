//! Where the records of a file stand: said by the extraction rules, or seen in the document's outline.

use domain::{ErrorCode, Failure, FileFormat, limits};

use crate::readers::json::feed::Feed;
use crate::readers::json::tape::Tape;
use crate::readers::json::walk::{Layout, next_item, next_key};
use crate::registry::Request;
use crate::rules::Rules;
use crate::text::encoding::Decided;

/// What stands under the keys of the document's object.
#[derive(Default)]
struct Outline {
    /// Keys with a list.
    lists: Vec<Vec<u8>>,
    /// Lists whose first item is an object.
    of_records: usize,
    /// Keys with anything else.
    others: usize,
}

/// Finds the layout. Reads a document that is one object to its end, without keeping any of it.
pub fn find(request: &Request<'_>, decided: Decided) -> Result<Layout, Failure> {
    let rules = Rules::of(request.options)?;
    if request.detected.format == FileFormat::Jsonl {
        return Ok(Layout::Lines);
    }
    if !rules.json_paths.is_empty() {
        return Ok(Layout::Tables(rules.json_paths));
    }
    let mut feed = Feed::open(request, decided)?;
    match feed.peek()? {
        None => Err(Failure::new(ErrorCode::EmptyFile, "The file holds nothing but blanks.")),
        Some(b'[') => Ok(Layout::Array),
        Some(b'{') => of_object(&mut feed),
        Some(_) => Ok(Layout::One),
    }
}

fn of_object(feed: &mut Feed<'_>) -> Result<Layout, Failure> {
    let outline = outline(feed)?;
    if feed.peek()? == Some(b'{') {
        return Ok(Layout::Values);
    }
    let n = outline.lists.len();
    // A list of scalars beside scalars is part of a record; a list of objects is a table wherever it stands.
    if n == 0 || (outline.of_records == 0 && outline.others > 0) {
        return Ok(Layout::One);
    }
    if n > limits::TABLES {
        return Err(Failure::new(
            ErrorCode::LimitExceeded,
            format!("The document has {n} lists, each of them a table; a file may have at most {}.", limits::TABLES),
        ));
    }
    Ok(Layout::Tables(outline.lists.into_iter().map(|key| vec![key]).collect()))
}

fn outline(feed: &mut Feed<'_>) -> Result<Outline, Failure> {
    let mut tape = Tape::new();
    let mut outline = Outline::default();
    feed.at += 1;
    let mut first = true;
    while let Some(key) = next_key(feed, &mut tape, first)? {
        first = false;
        if feed.peek()? != Some(b'[') {
            feed.value(&mut tape, false)?;
            outline.others += 1;
            continue;
        }
        feed.at += 1;
        let mut is_first = true;
        while next_item(feed, is_first)? {
            outline.of_records += usize::from(is_first && feed.text.get(feed.at) == Some(&b'{'));
            is_first = false;
            feed.value(&mut tape, false)?;
        }
        // More than may be tables are not remembered, only counted.
        outline.lists.push(if outline.lists.len() > limits::TABLES { Vec::new() } else { key });
    }
    Ok(outline)
}
