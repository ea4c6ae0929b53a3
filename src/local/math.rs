//! Logarithm and exponential of our own, so that every engine gives the same bytes: the C libraries differ in the last
//! digit. Only exact operations and fixed series; square roots are correctly rounded everywhere.

const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// Natural logarithm of a positive, finite, normal number.
pub(super) fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut exponent = ((bits >> 52) & 0x7FF) as i32 - 1023;
    let mut mantissa = f64::from_bits((bits & 0x000F_FFFF_FFFF_FFFF) | 0x3FF0_0000_0000_0000);
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    // ln(m) = 2 artanh(s) with |s| below 0.172.
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let square = s * s;
    let mut series = 0.0;
    for odd in [
        25.0, 23.0, 21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0,
    ] {
        series = (series + 1.0 / odd) * square;
    }
    let exponent = f64::from(exponent);
    exponent * LN_2_HIGH + (2.0 * s + (2.0 * s * series + exponent * LN_2_LOW))
}

/// The exponential; 0 and infinity beyond what a double holds.
fn exp(x: f64) -> f64 {
    if x > 709.0 {
        return f64::INFINITY;
    }
    if x < -708.0 {
        return 0.0;
    }
    let power = (x * std::f64::consts::LOG2_E + 0.5).floor();
    let rest = (x - power * LN_2_HIGH) - power * LN_2_LOW;
    let mut series = 1.0;
    for factor in [
        14.0, 13.0, 12.0, 11.0, 10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0,
    ] {
        series = 1.0 + series * rest / factor;
    }
    series * f64::from_bits(((power as i64 + 1023) as u64) << 52)
}

/// The logistic function.
pub(super) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + exp(-x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(ours: f64, theirs: f64) -> bool {
        (ours - theirs).abs() <= 4e-16 * theirs.abs().max(f64::MIN_POSITIVE)
    }

    #[test]
    fn exact_values_are_exact() {
        assert_eq!((ln(1.0), sigmoid(0.0), exp(0.0)), (0.0, 0.5, 1.0));
        assert_eq!((sigmoid(-800.0), sigmoid(800.0)), (0.0, 1.0));
    }

    proptest! {
        #[test]
        fn ln_is_the_logarithm(x in prop_oneof![1e-6..1e6_f64, 0.9..1.1_f64, 1.0..1e300_f64]) {
            prop_assert!(close(ln(x), x.ln()), "{} {} {}", x, ln(x), x.ln());
        }

        #[test]
        fn exp_is_the_exponential(x in prop_oneof![-50.0..50.0_f64, -700.0..700.0_f64, -1e-3..1e-3_f64]) {
            prop_assert!((exp(x) - x.exp()).abs() <= 1e-15 * x.exp(), "{} {} {}", x, exp(x), x.exp());
        }
    }
}
