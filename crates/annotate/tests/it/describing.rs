//! Semantic types and sentences.

use annotate::OfflineDescriber;
use domain::SqlType;
use domain::ports::describer::{ColumnBrief, Describer};
use domain::semantic::{DescriptionSource, SemanticType};

use crate::shop;

fn brief(table: &str, column: &str, sql_type: SqlType, samples: &[&str]) -> ColumnBrief {
    let samples = samples.iter().map(|s| (*s).to_owned()).collect();
    ColumnBrief { table: table.into(), column: column.into(), sql_type, samples, profile: None }
}

fn meaning(column: &str, sql_type: SqlType, samples: &[&str]) -> SemanticType {
    OfflineDescriber::default().describe_column(&brief("things", column, sql_type, samples)).semantic_type
}

fn shop_briefs(with_values: bool) -> Vec<ColumnBrief> {
    let mut briefs = Vec::new();
    for shop in shop::all() {
        for (at, column) in shop.columns.iter().enumerate() {
            let profile = shop.profile(at);
            briefs.push(ColumnBrief {
                table: shop.name.into(),
                column: column.name.clone(),
                sql_type: column.sql_type.clone(),
                samples: if with_values { shop.sample(at) } else { Vec::new() },
                profile: Some(if with_values { profile } else { profile.without_values() }.to_json()),
            });
        }
    }
    briefs
}

const SHOP_TYPES: &str = "
customers.id identifier | customers.full_name name | customers.email email | customers.phone phone
customers.birth_date date | customers.city city | customers.postal_code postal_code | customers.country_code country_code
customers.loyalty_points count | customers.newsletter boolean | customers.created_at datetime
products.sku code | products.name name | products.category enum | products.unit_price amount | products.weight_kg decimal
products.units_in_stock count | products.rating score | products.is_discontinued flag | products.launched_on date
products.image_url image_url
orders.id identifier | orders.customer_id identifier | orders.product_sku code | orders.ordered_at datetime
orders.quantity count | orders.total amount | orders.discount_percent percentage | orders.currency_code currency_code
orders.status enum | orders.is_gift flag | orders.shipped_on date | orders.note text";

#[test]
fn every_column_of_the_samples_has_its_semantic_type_with_and_without_values() {
    let expected: Vec<&str> = SHOP_TYPES.split(['|', '\n']).map(str::trim).filter(|line| !line.is_empty()).collect();
    for with_values in [true, false] {
        let briefs = shop_briefs(with_values);
        let (answers, cost) = futures::executor::block_on(OfflineDescriber::default().describe(&briefs)).unwrap();
        assert!(cost.abs() < f64::EPSILON);
        let found: Vec<String> = briefs
            .iter()
            .zip(&answers)
            .map(|(brief, answer)| format!("{}.{} {}", brief.table, brief.column, answer.semantic_type))
            .collect();
        assert_eq!(found, expected, "with values: {with_values}");
        assert!(answers.iter().all(|a| a.source == DescriptionSource::Heuristic));
    }
}

#[test]
fn sentences_are_plain_and_useful() {
    let said: Vec<String> = shop_briefs(true)
        .iter()
        .map(|b| format!("{}.{}: {}", b.table, b.column, OfflineDescriber::default().describe_column(b).description))
        .collect();
    for sentence in [
        "customers.id: Identifier of the customer; every value is distinct.",
        "customers.full_name: Full name of the customer; 58 different values.",
        "customers.email: E-mail address of the customer; every value is distinct.",
        "products.is_discontinued: Whether the product is discontinued; true in 20 % of the rows with a value.",
        "orders.customer_id: Identifier of the customer that the order refers to; 44 different values.",
        "orders.ordered_at: Date and time when the order was ordered; from 2024-01-05T01:12:00 to 2024-11-03T07:39:00.",
        "orders.is_gift: Whether the order is marked as gift; true in 9 % of the rows with a value.",
        "orders.total: Total of the order; an amount of money; from 3.5 to 1190.",
        "orders.status: Status of the order; one of cancelled, delivered, paid, pending and shipped.",
    ] {
        assert!(said.iter().any(|s| s == sentence), "missing: {sentence}\n{}", said.join("\n"));
    }
    assert!(said.iter().all(|s| s.ends_with('.') && !s.contains("..") && !s.contains("  ")), "{}", said.join("\n"));
}

#[test]
fn no_sentence_holds_a_cell_of_personal_data() {
    let customers = shop::customers();
    for (at, column) in customers
        .columns
        .iter()
        .enumerate()
        .filter(|(_, c)| ["full_name", "email", "phone", "birth_date"].contains(&c.name.as_str()))
    {
        let brief = ColumnBrief {
            table: "customers".into(),
            column: column.name.clone(),
            sql_type: column.sql_type.clone(),
            samples: customers.sample(at),
            profile: Some(customers.profile(at).to_json()),
        };
        let said = OfflineDescriber::default().describe_column(&brief).description;
        for cell in customers.cells(at).iter().filter(|cell| !cell.is_empty()) {
            assert!(!said.contains(cell), "{said}");
        }
    }
}

#[test]
fn values_outrank_names_and_contradicted_names_are_not_believed() {
    use SemanticType as S;
    let text = || SqlType::Varchar;
    assert_eq!(meaning("x", text(), &["a@example.com", "b@example.org"]), S::Email);
    assert_eq!(meaning("email", text(), &["weekly", "never"]), S::Text);
    assert_eq!(meaning("x", text(), &["https://example.com/a", "http://example.org"]), S::Url);
    assert_eq!(meaning("x", text(), &["192.0.2.1", "2001:db8::1"]), S::IpAddress);
    assert_eq!(meaning("zip", text(), &["02139"]), S::PostalCode);
    assert_eq!(meaning("x", text(), &["DE89 3704 0044 0532 0130 00"]), S::Iban);
    assert_eq!(meaning("x", text(), &["{\"a\": 1}", "[1, 2]"]), S::Json);
    assert_eq!(meaning("x", text(), &["Europe/Berlin", "America/New_York"]), S::Timezone);
    assert_eq!(meaning("x", text(), &["1.2.3", "v2.0.1-rc.1"]), S::Version);
    assert_eq!(meaning("x", text(), &["550e8400-e29b-41d4-a716-446655440000"]), S::Identifier);
    assert_eq!(meaning("x", text(), &["31.12.2023", "01.02.2024"]), S::Date);
    assert_eq!(meaning("x", text(), &["12 %", "7.5%"]), S::Percentage);
    assert_eq!(meaning("x", text(), &["$12.00", "€ 1,200"]), S::Amount);
    assert_eq!(meaning("x", text(), &["P1DT2H", "PT30M"]), S::Duration);
    assert_eq!(meaning("state", text(), &["open", "closed"]), S::Enum);
    assert_eq!(meaning("state", text(), &["Texas", "Ohio"]), S::State);
    assert_eq!(meaning("location", text(), &["12 High St", "7 Low Rd"]), S::Address);
    assert_eq!(meaning("location", text(), &["52.52, 13.40"]), S::GeoCoordinate);
    assert_eq!(meaning("city_district", text(), &["North", "South"]), S::Region);
    assert_eq!(meaning("country", text(), &["DE", "NA"]), S::CountryCode);
    assert_eq!(meaning("country", text(), &["Germany", "Namibia"]), S::Country);
    assert_eq!(meaning("anything", text(), &[]), S::Unknown);
}

#[test]
fn numbers_mean_what_their_names_and_ranges_say() {
    use SemanticType as S;
    for (name, sql_type, samples, expected) in [
        ("year", SqlType::BigInt, ["1999", "2024"], S::Year),
        ("year", SqlType::BigInt, ["1", "2"], S::Integer),
        ("month", SqlType::BigInt, ["1", "12"], S::Month),
        ("quarter", SqlType::BigInt, ["1", "4"], S::Quarter),
        ("week", SqlType::BigInt, ["1", "52"], S::Week),
        ("zip", SqlType::BigInt, ["10115", "20095"], S::PostalCode),
        ("number_of_rooms", SqlType::BigInt, ["1", "2"], S::Count),
        ("order_number", SqlType::BigInt, ["1", "2"], S::Identifier),
        ("latitude", SqlType::Double, ["52.5", "13.4"], S::GeoCoordinate),
        ("tax_rate", SqlType::Double, ["0.19", "0.07"], S::Rate),
        ("debt_ratio", SqlType::Double, ["0.5", "0.7"], S::Ratio),
        ("total_amount", SqlType::Decimal(10, 2), ["1.00", "2.00"], S::Amount),
        ("total_seats", SqlType::BigInt, ["1", "2"], S::Count),
        ("response_ms", SqlType::BigInt, ["1", "2"], S::Duration),
        ("is_open", SqlType::BigInt, ["0", "1"], S::Flag),
        ("sale_year", SqlType::Double, ["1998.0", "2003.0"], S::Year),
        ("zip", SqlType::Double, ["2127.0", "2118.0"], S::PostalCode),
        ("rows_per_sec", SqlType::BigInt, ["1", "2"], S::Rate),
        ("height", SqlType::Double, ["1.8", "1.7"], S::Decimal),
    ] {
        assert_eq!(meaning(name, sql_type, &samples), expected, "{name} of {samples:?}");
    }
}

#[test]
fn names_of_people_in_a_short_list_are_not_spelt_out() {
    let profile = serde_json::json!({
        "null_fraction": 0.0, "distinct_estimate": 2, "n_rows": 40, "distinct_exact": true, "min": "Ada", "max": "Bram",
        "top_values": [{"value": "Ada", "count": 30}, {"value": "Bram", "count": 10}],
    });
    let brief =
        ColumnBrief { profile: Some(profile), ..brief("tickets", "assignee", SqlType::Varchar, &["Ada", "Bram"]) };
    let said = OfflineDescriber::default().describe_column(&brief);
    assert_eq!(said.semantic_type, SemanticType::Enum);
    assert_eq!(said.description, "Assignee of the ticket; 2 different values.");
}

#[test]
fn tables_are_described_by_rows_and_columns() {
    let columns: Vec<(String, SqlType)> = (1..=8).map(|i| (format!("c{i}"), SqlType::BigInt)).collect();
    assert_eq!(
        OfflineDescriber::describe_table("daily_sales", &columns, 150),
        "Table of daily sales with 150 rows and 8 columns: c1, c2, c3, c4, c5, c6 and 2 more."
    );
    assert_eq!(OfflineDescriber::describe_table("x", &columns[..1], 1), "Table of x with 1 row and 1 column: c1.");
}
