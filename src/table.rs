//! A hash table from 64-bit hashes to small numbers, which index a list that the caller keeps.
//!
//! The table keeps half of a hash, to be small; the caller compares the rest: whole hashes where two texts with the same
//! one may count as one, since at 2^64 that does not happen by chance, and the texts where it may not happen at all.

/// Open addressing with linear probing; never shrinks, nothing is removed.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// Half of the hash and number + 1; 0 marks a free slot. A power of two long.
    slots: Vec<(u32, u32)>,
    used: usize,
}

impl Table {
    /// The number under a hash that `is_it` accepts; `fresh` is stored where there is none. Returns the number.
    pub(crate) fn find_or_insert(
        &mut self,
        hash: u64,
        fresh: u32,
        is_it: impl Fn(u32) -> bool,
    ) -> u32 {
        if self.used * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        let hash = hash as u32;
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while let Some(slot) = self.slots.get_mut(at) {
            match slot.1.checked_sub(1) {
                None => {
                    *slot = (hash, fresh + 1);
                    self.used += 1;
                    return fresh;
                }
                Some(number) if slot.0 == hash && is_it(number) => return number,
                Some(_) => at = (at + 1) & mask,
            }
        }
        fresh
    }

    /// The number under a hash that `is_it` accepts.
    pub(crate) fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let hash = hash as u32;
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots.get(at)?;
            let number = slot.1.checked_sub(1)?;
            if slot.0 == hash && is_it(number) {
                return Some(number);
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let length = (self.slots.len() * 2).max(64);
        let old = std::mem::replace(&mut self.slots, vec![(0, 0); length]);
        for (hash, number) in old.into_iter().filter(|(_, number)| *number > 0) {
            let mut at = hash as usize & (length - 1);
            while let Some(slot) = self.slots.get_mut(at) {
                if slot.1 == 0 {
                    *slot = (hash, number);
                    break;
                }
                at = (at + 1) & (length - 1);
            }
        }
    }
}

/// A 64-bit hash of some bytes; the same on every machine.
#[inline]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    // Multiplied, so that a length never makes up for a difference of two texts.
    let seed = 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(bytes.len() as u64 + 1);
    // What is left over after words of eight bytes is read together with bytes before it.
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let (words, _) = bytes.get(8..).unwrap_or_default().as_chunks();
        let state = words.iter().fold(mix(seed ^ word(first)), |state, next| {
            (state.rotate_left(23) ^ word(next)).wrapping_mul(0xFF51_AFD7_ED55_8CCD)
        });
        return mix(mix(state) ^ word(last));
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return mix(seed ^ (u64::from(last) << 32 | u64::from(first)));
    }
    mix(seed
        ^ bytes
            .iter()
            .fold(0, |word, &byte| (word << 8) | u64::from(byte)))
}

/// A bijection in which every bit reaches every other (the finalizer of MurmurHash3, by Austin Appleby); wasm has
/// no wider multiplication.
pub(crate) const fn mix(mut state: u64) -> u64 {
    state = (state ^ (state >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    state = (state ^ (state >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    state ^ (state >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn every_hash_finds_its_number_again() {
        let mut table = Table::default();
        let texts: Vec<String> = (0..20_000)
            .map(|number| format!("token_{number}"))
            .collect();
        for (number, text) in (0..).zip(&texts) {
            assert_eq!(
                table.find_or_insert(hash(text.as_bytes()), number, |known| known == number),
                number
            );
        }
        for (number, text) in (0..).zip(&texts) {
            assert_eq!(
                table.find_or_insert(hash(text.as_bytes()), 99_999, |known| known == number),
                number
            );
        }
    }

    #[test]
    fn equal_hashes_are_told_apart_by_the_caller() {
        let mut table = Table::default();
        assert_eq!(table.find_or_insert(7, 0, |_| false), 0);
        assert_eq!(table.find_or_insert(7, 1, |number| number == 1), 1);
        assert_eq!(table.find_or_insert(7, 2, |number| number == 1), 1);
    }

    #[test]
    fn similar_texts_have_different_hashes() {
        let mut seen = HashMap::new();
        for number in 0..200_000_u32 {
            for text in [
                format!("{number}"),
                format!("a{number}"),
                format!("{number:08}x"),
                format!("{number:016}"),
            ] {
                if let Some(other) = seen.insert(hash(text.as_bytes()), text.clone()) {
                    assert_eq!(other, text);
                }
            }
        }
    }
}
