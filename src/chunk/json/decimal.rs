//! Decimal numbers of JSON, and the doubles nearest to them.

use super::cursor::Cursor;
use super::error::SyntaxError;

/// A JSON number as an integer times a power of ten.
pub(crate) struct Decimal {
    is_negative: bool,
    /// The digits without the point; `None` if they do not fit.
    mantissa: Option<u64>,
    power: i32,
}

impl Decimal {
    /// Reads the number at the cursor.
    ///
    /// # Errors
    /// The text is not a JSON number.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, SyntaxError> {
        let is_negative = cursor.peek() == b'-';
        cursor.at += usize::from(is_negative);
        let mut decimal = Decimal { is_negative, mantissa: Some(0), power: 0 };
        match cursor.peek() {
            b'0' => cursor.at += 1,
            _ => drop(decimal.read_digits(cursor)?),
        }
        if cursor.peek() == b'.' {
            cursor.at += 1;
            let count = decimal.read_digits(cursor)?;
            decimal.power = i32::try_from(count).map_or(i32::MIN, |count| -count);
        }
        if matches!(cursor.peek(), b'e' | b'E') {
            cursor.at += 1;
            decimal.power = decimal.power.saturating_add(read_exponent(cursor)?);
        }
        // A digit follows a leading zero.
        if cursor.peek().is_ascii_digit() { Err(cursor.unexpected()) } else { Ok(decimal) }
    }

    /// Returns the nearest double, or `None` for a number that needs more than 128 bits to find it.
    pub(crate) fn nearest(&self) -> Option<f64> {
        let mantissa = self.mantissa?;
        let is_exact = mantissa <= 1 << f64::MANTISSA_DIGITS;
        let scale = POWERS_OF_TEN.get(self.power.unsigned_abs() as usize).copied();
        let magnitude = match self.power {
            // Each of these rounds once, because powers of ten up to 22 are exact as doubles.
            0 => mantissa as f64,
            _ if mantissa == 0 => 0.0,
            -22..0 if is_exact => mantissa as f64 / scale?,
            1..=22 if is_exact => mantissa as f64 * scale?,
            ..0 => quotient(mantissa, self.power.unsigned_abs(), scale?)?,
            _ => return None,
        };
        Some(if self.is_negative { -magnitude } else { magnitude })
    }

    /// Returns the number if it is a non-negative integer; `None` too if its digits do not fit into 64 bits.
    pub(crate) fn unsigned_integer(&self) -> Option<u64> {
        let mantissa = self.mantissa?;
        let integer = match 10_u64.checked_pow(self.power.unsigned_abs()) {
            _ if mantissa == 0 => 0,
            Some(scale) if self.power >= 0 => mantissa.checked_mul(scale)?,
            Some(scale) if mantissa % scale == 0 => mantissa / scale,
            _ => return None,
        };
        (integer == 0 || !self.is_negative).then_some(integer)
    }

    /// Reads one or more digits of the mantissa. Returns their number.
    fn read_digits(&mut self, cursor: &mut Cursor<'_>) -> Result<usize, SyntaxError> {
        let begin = cursor.at;
        while let Some(word) = cursor.rest().first_chunk() {
            let (value, count) = leading_digits(*word);
            cursor.at += count;
            self.append(value, count);
            if count < word.len() {
                break;
            }
        }
        while let digit @ b'0'..=b'9' = cursor.peek() {
            cursor.at += 1;
            self.append(i32::from(digit - b'0'), 1);
        }
        if cursor.at == begin { Err(cursor.unexpected()) } else { Ok(cursor.at - begin) }
    }

    /// Appends this number of digits to the mantissa.
    #[inline]
    fn append(&mut self, digits: i32, count: usize) {
        const SCALES: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
        self.mantissa = self.mantissa.and_then(|mantissa| {
            mantissa.checked_mul(SCALES.get(count).copied()?)?.checked_add(u64::from(digits.unsigned_abs()))
        });
    }
}

/// Returns the value and the number of the leading digits.
#[inline]
pub(crate) fn leading_digits(bytes: [u8; 8]) -> (i32, usize) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let digits = u64::from_le_bytes(bytes) ^ (ONES * 0x30);
    // Adding 0x76 sets the highest bit of each byte above 9. A carry can only change bytes after the first such byte.
    let others = (digits.wrapping_add(ONES * 0x76) | digits) & (ONES * 0x80);
    let count = others.trailing_zeros() as usize / 8;
    // Shifting puts zeros in front of the digits. Each multiplication then joins neighbours: to numbers of 2, 4 and 8 digits.
    let digits = digits.checked_shl(64 - 8 * count as u32).unwrap_or(0);
    let twos = digits.wrapping_mul(10 << 8 | 1) >> 8 & 0x00FF_00FF_00FF_00FF;
    let fours = twos.wrapping_mul(100 << 16 | 1) >> 16 & 0x0000_FFFF_0000_FFFF;
    let eight = fours.wrapping_mul(10_000 << 32 | 1) >> 32;
    (eight as i32, count)
}

/// Reads an exponent without its `e`. Clamps it if it does not fit.
fn read_exponent(cursor: &mut Cursor<'_>) -> Result<i32, SyntaxError> {
    let is_negative = cursor.peek() == b'-';
    if matches!(cursor.peek(), b'+' | b'-') {
        cursor.at += 1;
    }
    let (begin, mut exponent) = (cursor.at, 0_i32);
    while let digit @ b'0'..=b'9' = cursor.peek() {
        cursor.at += 1;
        exponent = exponent.saturating_mul(10).saturating_add(i32::from(digit - b'0'));
    }
    match cursor.at == begin {
        true => Err(cursor.unexpected()),
        false => Ok(if is_negative { -exponent } else { exponent }),
    }
}

/// The number of bits of the significand that a double stores.
const STORED_BITS: u32 = f64::MANTISSA_DIGITS - 1;

/// The bias of a double's exponent, for a significand that is an integer.
const BIAS: i32 = 1075;

/// The powers of ten, as doubles; the last five are rounded.
const POWERS_OF_TEN: [f64; 28] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27,
];

/// Returns the double nearest to `mantissa / 10^power`, or `None` if it is halfway between two doubles or beside a power of two.
/// `scale` is `10^power`, rounded.
fn quotient(mantissa: u64, power: u32, scale: f64) -> Option<f64> {
    let bits = (mantissa as f64 / scale).to_bits();
    let exponent = (bits >> STORED_BITS) as i32 - BIAS;
    let stored = (1 << STORED_BITS) - 1;
    let mut significand = bits & stored | 1 << STORED_BITS;
    // The quotient is about `significand × 2^exponent`. Both are compared after a multiplication by 5^power and a power of two: below
    // 2^117 each, because 5^27 is below 2^63.
    let shift = -exponent - power as i32;
    let unit = i128::from(5_u64.pow(power)) << (-shift).max(0);
    let mut rest = (i128::from(mantissa) << shift.max(0)) - i128::from(significand) * unit;
    // The division has rounded up to three times, so this ends after a few steps.
    while 2 * rest > unit {
        (significand, rest) = (significand + 1, rest - unit);
    }
    while 2 * rest < -unit {
        (significand, rest) = (significand - 1, rest + unit);
    }
    let is_inside = significand > 1 << STORED_BITS && significand < 1 << f64::MANTISSA_DIGITS;
    let is_halfway = 2 * rest == unit || 2 * rest == -unit;
    (is_inside && !is_halfway).then(|| f64::from_bits(((exponent + BIAS) as u64) << STORED_BITS | significand & stored))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn nearest(json: &str) -> Option<f64> {
        let mut cursor = Cursor { body: json.as_bytes(), at: 0 };
        let decimal = Decimal::read(&mut cursor).unwrap();
        assert_eq!(cursor.at, json.len(), "{json}");
        decimal.nearest()
    }

    fn is_right(json: &str) -> bool {
        nearest(json).is_none_or(|value| value.to_bits() == json.parse::<f64>().unwrap().to_bits())
    }

    #[test]
    fn needs_no_host_for_the_numbers_that_programs_print() {
        let numbers = ["0.87", "-12.5", "1e3", "1.5E-7", "9007199254740993", "-0", "-0.0", "4294967296", "10.0"];
        let doubles = ["0.8734512345678901", "0.30000000000000004", "5.123456789012345e-10", "18446744073709551615"];
        let zeros = ["0", "0e23", "-0E-400", "0.000e99999999999"];
        for json in numbers.into_iter().chain(doubles).chain(zeros) {
            assert_eq!(nearest(json).map(f64::to_bits), json.parse().ok().map(f64::to_bits), "{json}");
        }
    }

    #[test]
    fn leaves_to_the_host_what_needs_more_bits() {
        for json in ["1e23", "1e400", "0.1e-30", "1e99999999999", "0.1e-99999999999", "18446744073709551616"] {
            assert_eq!(nearest(json), None, "{json}");
        }
    }

    #[test]
    fn is_right_beside_powers_of_two_and_halfway() {
        for exponent in -89..63 {
            let power = 2_f64.powi(exponent);
            for value in [power.next_down(), power, power.next_up()] {
                for digits in 1..19 {
                    for json in [format!("{value:.digits$}"), format!("{value:.digits$e}"), value.to_string()] {
                        assert!(is_right(&json), "{json}");
                    }
                }
            }
        }
        for json in ["9007199254740993.0", "4503599627370496.5", "4503599627370497.5", "0.500000000000000166"] {
            assert!(is_right(json), "{json}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16 * ProptestConfig::default().cases))]

        #[test]
        fn is_what_the_standard_library_parses(mantissa in any::<u64>(), bits in 1..=64_u32, power in -30..25_i32) {
            let json = format!("{}e{power}", mantissa >> (64 - bits));
            prop_assert!(is_right(&json), "{}", json);
        }

        #[test]
        fn needs_no_host_for_doubles_between_a_billionth_and_a_billion(value in 1e-9..1e9_f64) {
            prop_assert_eq!(nearest(&value.to_string()), Some(value));
        }

        #[test]
        fn is_right_for_decimals_next_to_the_middle_of_two_doubles(value in 1e-9..1e9_f64, add in -3..=3_i64) {
            let middle = f64::midpoint(value, value.next_up());
            let (mantissa, power) = (format!("{middle:.17e}"), 17);
            let digits: String = mantissa.split('e').next().unwrap_or_default().replace('.', "");
            let exponent: i32 = mantissa.split('e').nth(1).unwrap().parse().unwrap();
            let json = format!("{}e{}", digits.parse::<i64>().unwrap() + add, exponent - power);
            prop_assert!(is_right(&json), "{}", json);
        }
    }
}
