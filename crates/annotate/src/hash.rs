//! The 64-bit hashes behind distinct counts and samples: the same value has the same hash in every run and on every machine.

use xxhash_rust::xxh3::xxh3_64;

/// Hash of bytes.
#[inline]
pub(crate) fn bytes(value: &[u8]) -> u64 {
    xxh3_64(value)
}

/// Hash of a number: a bijection, so that different numbers never collide.
#[inline]
pub(crate) const fn number(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Hash of a wide number; a bijection for all that fit 64 bits.
#[inline]
pub(crate) const fn wide(value: i128) -> u64 {
    let low = value as u64;
    // What the sign extension of the low half does not already say: zero for every number that fits an i64.
    let high = ((value >> 64) as u64) ^ (((low as i64) >> 63) as u64);
    if high == 0 { number(low) } else { number(low ^ number(high)) }
}

/// Hash of a float by value: both zeros are one, every NaN is one.
#[inline]
pub(crate) fn float(value: f64) -> u64 {
    if value == 0.0 {
        number(0)
    } else if value.is_nan() {
        number(f64::NAN.to_bits())
    } else {
        number(value.to_bits())
    }
}
