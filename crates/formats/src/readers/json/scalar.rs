//! Scalars and JSON texts of a place: the fast way where they look as planned, the slow way elsewhere, and evidence of
//! what they were.

use crate::readers::json::out::Out;
use crate::readers::json::place::{Notes, Place, Record};
use crate::readers::json::seen::{Fixed, Seen, exact};
use crate::readers::json::string::{compact, unescape};
use crate::readers::json::tape::{Kind, Token};
use crate::text::infer;
use crate::text::moment::{self, Orders};
use crate::text::number;
use crate::text::values::Values;

impl Place {
    /// Keeps any value as JSON text.
    pub(super) fn read_json(&mut self, record: &mut Record<'_>, token: Token) {
        let raw = token.raw(record.text);
        if let Out::Json(Values::Text(texts)) = &mut self.out {
            texts.push_with(|bytes| match token.kind {
                Kind::List | Kind::Object => compact(raw, bytes),
                Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Plain | Kind::Escaped => {
                    bytes.extend_from_slice(raw);
                }
            });
        } else if !matches!(self.out, Out::Off) {
            record.notes.contradicted = true;
        }
    }

    pub(super) fn read_scalar(&mut self, record: &mut Record<'_>, token: Token) {
        let Record { text, row, notes, .. } = record;
        let fits = match token.kind {
            Kind::True | Kind::False => {
                self.seen.bools += 1;
                boolean(&mut self.out, token.kind == Kind::True)
            }
            Kind::Number => {
                self.seen.numbers += 1;
                let raw = token.raw(text);
                match &mut self.out {
                    Out::Scalar(reading, values) if self.seen.strings == 0 => {
                        number_value(&mut self.seen, *reading, values, raw, *row, notes.learn)
                    }
                    Out::Off | Out::Unknown(_) | Out::Scalar(..) | Out::Json(_) | Out::List(..) | Out::Struct(_) => {
                        if self.seen.strings == 0 {
                            self.seen.observe_number(raw, *row);
                        }
                        false
                    }
                }
            }
            Kind::Plain => {
                self.seen.strings += 1;
                self.read_string(token.inside(text), *row, notes)
            }
            Kind::Escaped => {
                self.seen.strings += 1;
                let mut value = std::mem::take(&mut notes.scratch);
                value.clear();
                if unescape(token.inside(text), &mut value) > 0 {
                    notes.replaced.add(*row);
                }
                let fits = self.read_string(&value, *row, notes);
                notes.scratch = value;
                fits
            }
            Kind::Null | Kind::List | Kind::Object => true,
        };
        notes.contradicted |= !fits;
    }

    fn read_string(&mut self, value: &[u8], row: u64, notes: &Notes) -> bool {
        match &mut self.out {
            Out::Scalar(reading, values) if self.seen.numbers == 0 => {
                string_value(&mut self.seen, *reading, values, value, row, notes.learn)
            }
            Out::Off | Out::Unknown(_) | Out::Scalar(..) | Out::Json(_) | Out::List(..) | Out::Struct(_) => {
                if self.seen.numbers == 0 && self.seen.fixed == Fixed::Open {
                    self.seen.observe_string(value, row);
                }
                false
            }
        }
    }
}

fn boolean(out: &mut Out, value: bool) -> bool {
    match out {
        Out::Scalar(_, Values::Boolean(values)) => {
            values.push(value);
            true
        }
        Out::Off | Out::Unknown(_) | Out::Scalar(..) | Out::Json(_) | Out::List(..) | Out::Struct(_) => false,
    }
}

/// Keeps a number; false when it does not fit.
fn number_value(
    seen: &mut Seen,
    reading: infer::Reading,
    values: &mut Values,
    raw: &[u8],
    row: u64,
    learn: bool,
) -> bool {
    match values {
        Values::BigInt(out) => {
            if let Some(value) = number::parse_i64(raw) {
                out.push(value);
                if learn {
                    seen.evidence.values += 1;
                    seen.evidence.add_wholes(1, value, value);
                }
                return true;
            }
        }
        Values::Double(out) => {
            if let Some((value, (whole, fraction))) = number::parse_short_f64(raw) {
                out.push(value);
                if learn {
                    seen.evidence.values += 1;
                    let plain = &mut seen.evidence.numbers[0];
                    plain.count += 1;
                    plain.whole_digits = plain.whole_digits.max(whole);
                    plain.fraction_digits = plain.fraction_digits.max(fraction);
                    plain.written_digits = plain.written_digits.max(fraction);
                    plain.fractional |= fraction > 0;
                    plain.negative |= raw[0] == b'-';
                }
                return true;
            }
        }
        // Texts of numbers are the digits as written.
        Values::Text(out) if seen.strings == 0 => out.push(raw),
        Values::Text(_)
        | Values::Boolean(_)
        | Values::UBigInt(_)
        | Values::Decimal(_)
        | Values::Date(_)
        | Values::Time(_)
        | Values::Stamp(_) => {}
    }
    if learn {
        seen.observe_number(raw, row);
    }
    slow_number(reading, values, raw)
}

#[cold]
fn slow_number(reading: infer::Reading, values: &mut Values, raw: &[u8]) -> bool {
    let number = exact(raw);
    let kept = match values {
        Values::Text(_) => return true,
        Values::Double(out) => {
            number.and_then(|n| n.survives_double().then(|| n.to_f64())?).map(|value| out.push(value))
        }
        Values::UBigInt(out) => {
            number.filter(|n| n.whole).and_then(|n| u64::try_from(n.at_scale(0)?).ok()).map(|value| out.push(value))
        }
        Values::Decimal(out) => number.and_then(|n| decimal(reading, n)).map(|value| out.push(value)),
        Values::BigInt(_) | Values::Boolean(_) | Values::Date(_) | Values::Time(_) | Values::Stamp(_) => None,
    };
    kept.is_some()
}

fn decimal(reading: infer::Reading, number: number::Number) -> Option<i128> {
    let infer::Reading::Decimal { precision, scale, .. } = reading else {
        return None;
    };
    let value = number.at_scale(scale)?;
    (value.unsigned_abs() < 10_u128.pow(u32::from(precision))).then_some(value)
}

/// Keeps a string; false when it does not fit.
fn string_value(
    seen: &mut Seen,
    reading: infer::Reading,
    values: &mut Values,
    value: &[u8],
    row: u64,
    learn: bool,
) -> bool {
    let evidence = &mut seen.evidence;
    match (&mut *values, reading) {
        (Values::Text(out), infer::Reading::Text) if seen.fixed != Fixed::Open || !learn => {
            out.push(value);
            return true;
        }
        (Values::Date(out), infer::Reading::Date(Orders::YMD)) => {
            if let Some(days) = moment::iso_date(value) {
                evidence.values += 1;
                evidence.dates.add(1, Orders::YMD);
                out.push(days);
                return true;
            }
        }
        (Values::Stamp(out), infer::Reading::Stamp { order: Orders::YMD, zoned }) => {
            if let Some((micros, _)) = moment::iso_stamp(value).filter(|(_, z)| *z == zoned) {
                evidence.values += 1;
                let moments = if zoned { &mut evidence.zoned } else { &mut evidence.stamps };
                moments.add(1, Orders::YMD);
                out.push(micros);
                return true;
            }
        }
        _ => {}
    }
    if learn {
        seen.observe_string(value, row);
    }
    slow_string(reading, values, value)
}

#[cold]
fn slow_string(reading: infer::Reading, values: &mut Values, value: &[u8]) -> bool {
    let kept = match (values, reading) {
        (Values::Text(out), infer::Reading::Text) => {
            out.push(value);
            Some(())
        }
        (Values::Date(out), infer::Reading::Date(order)) => {
            moment::only_date(value).and_then(|date| date.days(order)).map(|days| out.push(days))
        }
        (Values::Stamp(out), infer::Reading::Stamp { order, zoned }) => moment::stamp(value)
            .filter(|stamp| stamp.offset.is_some() == zoned && !stamp.clock.too_fine)
            .and_then(|stamp| stamp.micros(order))
            .map(|micros| out.push(micros)),
        (Values::Time(out), _) => {
            moment::only_clock(value).filter(|clock| !clock.too_fine).map(|clock| out.push(clock.micros))
        }
        _ => None,
    };
    kept.is_some()
}
