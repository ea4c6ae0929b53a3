//! What the characters of the world's scripts are to a reader of words.
//!
//! A script that puts spaces between its words is read by words. One that does not (Chinese, Japanese, Thai, …), or that
//! hangs its endings on the word (Korean), is read by overlapping pairs of characters, as search engines do (the CJK
//! bigrams of Lucene). Tables are ranges of Unicode 16 blocks, written by hand: the standard library's are larger than
//! the rest of the model.

/// What a character beyond ASCII does to a word.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Role {
    /// Ends it.
    Apart,
    /// Is part of a word that ends at a space.
    Letter,
    /// Belongs to the letter before it and may be left out in writing: combining accents, vowel points, joiners.
    Mark,
    /// Is half of two pairs.
    Pair,
}

/// First and last character of what is read by pairs, in ascending order.
const PAIRS: [(u32, u32); 20] = [
    (0x0E01, 0x0E3A), // Thai
    (0x0E40, 0x0E4E),
    (0x0E81, 0x0ECE), // Lao
    (0x0EDC, 0x0EDF),
    (0x0F40, 0x0FBC), // Tibetan
    (0x1000, 0x103F), // Myanmar
    (0x1050, 0x109F),
    (0x1100, 0x11FF), // Hangul
    (0x1780, 0x17D3), // Khmer
    (0x3005, 0x3007), // Japanese iteration, closing and zero signs
    (0x3041, 0x309F), // Hiragana
    (0x30A1, 0x30FA), // Katakana
    (0x30FC, 0x312F), // its long vowel; Bopomofo
    (0x3131, 0x318E), // Hangul
    (0x31A0, 0x31FF), // Bopomofo, Katakana
    (0x3400, 0xA4CF), // Han, Yi
    (0xAC00, 0xD7FF), // Hangul
    (0xF900, 0xFAFF), // Han
    (0xFF66, 0xFF9F), // narrow Katakana
    (0x2_0000, 0x3_FFFF),
];

/// First and last character of what may be left out.
const MARKS: [(u32, u32); 13] = [
    (0x00AD, 0x00AD), // soft hyphen
    (0x0300, 0x036F), // combining accents
    (0x0483, 0x0489), // Cyrillic
    (0x0591, 0x05BD), // Hebrew points
    (0x05BF, 0x05C7),
    (0x0610, 0x061A), // Arabic
    (0x0640, 0x0640), // its stretched line
    (0x064B, 0x065F),
    (0x0670, 0x0670),
    (0x06D6, 0x06ED),
    (0x1AB0, 0x1AFF), // combining accents
    (0x200C, 0x200D), // joiners
    (0xFE00, 0xFE0F), // variants
];

/// The scripts of India, whose vowel signs and joined consonants the standard library does not count as letters.
const INDIC: std::ops::RangeInclusive<u32> = 0x0900..=0x0DFF;

/// What a character beyond ASCII does to a word.
pub(super) fn role(character: char) -> Role {
    let code = u32::from(character);
    match code {
        // The commonest, without a search.
        0x00C0..=0x024F if !matches!(code, 0xD7 | 0xF7) => return Role::Letter,
        0x0400..=0x0481 | 0x048A..=0x052F => return Role::Letter,
        0x2010..=0x206F | 0x2190..=0x2BFF | 0x3000..=0x3004 => return Role::Apart,
        0x3400..=0xA4CF | 0xAC00..=0xD7FF => return Role::Pair,
        _ => {}
    }
    let within = |ranges: &[(u32, u32)]| {
        let at = ranges.partition_point(|&(_, last)| last < code);
        ranges.get(at).is_some_and(|&(first, _)| first <= code)
    };
    if within(&PAIRS) {
        Role::Pair
    } else if within(&MARKS) {
        Role::Mark
    } else if character.is_alphanumeric()
        || (INDIC.contains(&code) && !matches!(code, 0x0964 | 0x0965 | 0x0970))
    {
        Role::Letter
    } else {
        Role::Apart
    }
}

/// The closing sign of an opening one around a name: a title, a term, a quotation.
pub(super) fn closing(opening: char) -> Option<char> {
    Some(match opening {
        '「' => '」',
        '『' => '』',
        '《' => '》',
        '〈' => '〉',
        '【' => '】',
        '“' => '”',
        '«' => '»',
        _ => return None,
    })
}

/// A wide letter or digit, or a digit of another script, as ASCII; others as they are.
pub(super) fn plain(character: char) -> char {
    let code = u32::from(character);
    let ascii = match code {
        0xFF10..=0xFF19 | 0xFF21..=0xFF3A | 0xFF41..=0xFF5A => code - 0xFEE0,
        0x0660..=0x0669 => code - 0x0660 + 0x30,
        0x06F0..=0x06F9 => code - 0x06F0 + 0x30,
        0x0966..=0x096F => code - 0x0966 + 0x30,
        _ => return character,
    };
    char::from(ascii as u8)
}

/// A small letter for a capital one, in the scripts that have both.
pub(super) fn lower(character: char) -> char {
    let code = u32::from(character);
    let small = match code {
        0x41..=0x5A
        | 0xC0..=0xD6
        | 0xD8..=0xDE
        | 0x0391..=0x03A1
        | 0x03A3..=0x03AB
        | 0x0410..=0x042F => code + 32,
        0x0100..=0x012F
        | 0x0132..=0x0137
        | 0x014A..=0x0177
        | 0x0460..=0x0481
        | 0x048A..=0x04BF
        | 0x04D0..=0x052F
        | 0x1E00..=0x1E95
        | 0x1EA0..=0x1EFF
        | 0x01DE..=0x01EF
        | 0x01F8..=0x021F => code | 1,
        0x0139..=0x0148 | 0x0179..=0x017E | 0x01CD..=0x01DC | 0x04C1..=0x04CE => code + (code & 1),
        0x0178 => 0xFF,
        0x01A0..=0x01A5 => code | 1,
        0x01AF | 0x01B0 => 0x01B0,
        0x0386 => 0x03AC,
        0x0388..=0x038A => code + 37,
        0x038C => 0x03CC,
        0x038E | 0x038F => code + 63,
        0x0400..=0x040F => code + 80,
        0x0531..=0x0556 => code + 48,
        _ => return character,
    };
    char::from_u32(small).unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_in_order() {
        for ranges in [&PAIRS[..], &MARKS[..]] {
            assert!(ranges.iter().all(|(first, last)| first <= last));
            assert!(ranges.windows(2).all(|two| two[0].1 < two[1].0));
        }
    }

    #[test]
    fn characters_have_the_role_of_their_script() {
        for letter in "éßžŁđДжΩאعकिा्ქ’ʼ٣５Ａ"
            .chars()
            .filter(|letter| !"’".contains(*letter))
        {
            assert_eq!(
                role(letter),
                Role::Letter,
                "{letter} {:x}",
                u32::from(letter)
            );
        }
        for half in "订單の々ーｶกำ한ᄒກမខ𠮷".chars() {
            assert_eq!(role(half), Role::Pair, "{half}");
        }
        for mark in "\u{301}\u{5b0}\u{64b}\u{640}\u{200d}".chars() {
            assert_eq!(role(mark), Role::Mark, "{:x}", u32::from(mark));
        }
        for apart in "。、・「」—…€°।،؟✓😀\u{3000}\u{a0}".chars() {
            assert_eq!(role(apart), Role::Apart, "{apart}");
        }
    }

    #[test]
    fn capitals_become_small_as_unicode_says() {
        for character in ('\0'..='\u{58F}')
            .chain('\u{1E00}'..='\u{1EFF}')
            .filter(|c| c.is_alphabetic())
        {
            let ours = lower(character);
            let theirs: Vec<char> = character.to_lowercase().collect();
            let rare = ('\u{180}'..='\u{2AF}').contains(&character)
                || ('\u{370}'..='\u{3FF}').contains(&character)
                || "İẞ\u{4C0}".contains(character);
            if ours != character {
                assert_eq!(theirs, [ours], "{character} {:x}", u32::from(character));
            } else if !rare {
                assert_eq!(
                    theirs,
                    [character],
                    "{character} {:x}",
                    u32::from(character)
                );
            }
        }
        assert_eq!(plain('５'), '5');
        assert_eq!(plain('Ａ'), 'A');
        assert_eq!(plain('٣'), '3');
    }
}
