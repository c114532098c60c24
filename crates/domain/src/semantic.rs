//! The 49 semantic types and the personal-data tags: closed lists shared with the clients of the contract.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::closed::closed_list;

closed_list! {
    /// What a column means, stored as `governance_json.semantic_type`.
    #[allow(missing_docs, reason = "each word is its own meaning; the list is the contract's")]
    pub enum SemanticType {
        Text = "text", Name = "name", Description = "description", Tag = "tag", Enum = "enum",
        LanguageCode = "language_code",
        Identifier = "identifier", Code = "code", TaxId = "tax_id", Iban = "iban", Version = "version",
        Integer = "integer", Count = "count", Decimal = "decimal", Score = "score", Ratio = "ratio",
        Percentage = "percentage", Rate = "rate",
        Amount = "amount", Currency = "currency", CurrencyCode = "currency_code",
        Date = "date", Datetime = "datetime", Time = "time", Year = "year", Quarter = "quarter", Month = "month",
        Week = "week", Duration = "duration", Timezone = "timezone",
        Boolean = "boolean", Flag = "flag",
        Email = "email", Phone = "phone", Url = "url", ImageUrl = "image_url", FilePath = "file_path",
        Address = "address", City = "city", State = "state", PostalCode = "postal_code", Country = "country",
        CountryCode = "country_code", Region = "region", IndustrySector = "industry_sector",
        GeoCoordinate = "geo_coordinate",
        IpAddress = "ip_address", Json = "json",
        Unknown = "unknown",
    }
}

/// Which personal data a column holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[allow(missing_docs, reason = "each word is its own meaning; the list is the contract's")]
pub enum PiiTag {
    None,
    Email,
    Phone,
    Ssn,
    CreditCard,
    Iban,
    IpAddress,
    Dob,
    Name,
    Location,
    /// A pattern of the operator's own.
    Custom(String),
}

impl fmt::Display for PiiTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("NONE"),
            Self::Email => f.write_str("EMAIL"),
            Self::Phone => f.write_str("PHONE"),
            Self::Ssn => f.write_str("SSN"),
            Self::CreditCard => f.write_str("CREDIT_CARD"),
            Self::Iban => f.write_str("IBAN"),
            Self::IpAddress => f.write_str("IP_ADDRESS"),
            Self::Dob => f.write_str("DOB"),
            Self::Name => f.write_str("NAME"),
            Self::Location => f.write_str("LOCATION"),
            Self::Custom(name) => write!(f, "CUSTOM:{name}"),
        }
    }
}

/// The text is not a personal-data tag.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is not a PII tag: NONE, EMAIL, PHONE, SSN, CREDIT_CARD, IBAN, IP_ADDRESS, DOB, NAME, LOCATION or CUSTOM:<name>"
)]
pub struct BadPiiTag(pub String);

impl FromStr for PiiTag {
    type Err = BadPiiTag;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "NONE" => Self::None,
            "EMAIL" => Self::Email,
            "PHONE" => Self::Phone,
            "SSN" => Self::Ssn,
            "CREDIT_CARD" => Self::CreditCard,
            "IBAN" => Self::Iban,
            "IP_ADDRESS" => Self::IpAddress,
            "DOB" => Self::Dob,
            "NAME" => Self::Name,
            "LOCATION" => Self::Location,
            other => match other.strip_prefix("CUSTOM:") {
                Some(name) if !name.is_empty() && name.len() <= 64 => Self::Custom(name.to_owned()),
                _ => return Err(BadPiiTag(other.to_owned())),
            },
        })
    }
}

impl TryFrom<String> for PiiTag {
    type Error = BadPiiTag;
    fn try_from(text: String) -> Result<Self, BadPiiTag> {
        text.parse()
    }
}

impl From<PiiTag> for String {
    fn from(tag: PiiTag) -> Self {
        tag.to_string()
    }
}

closed_list! {
    /// Who set a personal-data tag.
    pub enum PiiSource {
        /// Patterns and names.
        Regex = "REGEX",
        /// An external recogniser.
        Presidio = "PRESIDIO",
        /// A language model.
        Agent = "AGENT",
        /// A person; never overwritten by the others.
        Human = "HUMAN",
    }
}

closed_list! {
    /// Who wrote a description.
    pub enum DescriptionSource {
        /// A language model.
        Agent = "AGENT",
        /// A person; never overwritten by the others.
        Human = "HUMAN",
        /// The offline describer's rules.
        Heuristic = "HEURISTIC",
    }
}

closed_list! {
    /// Where a relation stands.
    pub enum RelationStatus {
        /// Waiting for a decision.
        Proposed = "PROPOSED",
        /// Accepted by a person.
        Approved = "APPROVED",
        /// Refused by a person; never proposed again.
        Rejected = "REJECTED",
    }
}

closed_list! {
    /// Who found a relation.
    pub enum RelationKind {
        /// Rules over names, types and values.
        Heuristic = "HEURISTIC",
        /// A language model.
        AgentProposed = "AGENT_PROPOSED",
        /// A person.
        Manual = "MANUAL",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_49_semantic_types() {
        assert_eq!(SemanticType::ALL.len(), 49);
    }

    #[test]
    fn pii_tags_round_trip() {
        for text in ["NONE", "EMAIL", "CREDIT_CARD", "CUSTOM:badge"] {
            assert_eq!(text.parse::<PiiTag>().map(|t| t.to_string()), Ok(text.to_owned()));
        }
        assert!("CUSTOM:".parse::<PiiTag>().is_err());
        assert!("email".parse::<PiiTag>().is_err());
    }
}
