//! Small pieces of text handling that the standard library offers only together with code the module does not need
//! (its general substring search, its number formatting).

use std::borrow::Cow;

use crate::table::{Table, hash};

/// Appends a number in decimal digits.
pub(crate) fn push_number(out: &mut String, number: u64) {
    if number >= 10 {
        push_number(out, number / 10);
    }
    out.push(char::from(b'0' + (number % 10) as u8));
}

/// A number in decimal digits.
pub(crate) fn decimal(number: u64) -> String {
    let mut out = String::new();
    push_number(&mut out, number);
    out
}

/// Where a text first holds another one.
pub(crate) fn find(text: &str, wanted: &str) -> Option<usize> {
    let (bytes, wanted) = (text.as_bytes(), wanted.as_bytes());
    let first = *wanted.first()?;
    (0..bytes.len()).find(|&at| {
        bytes.get(at) == Some(&first)
            && bytes.get(at..).is_some_and(|rest| rest.starts_with(wanted))
    })
}

/// Numbers texts in the order they are met.
#[derive(Debug, Default)]
pub(crate) struct Interner<'a> {
    table: Table,
    texts: Vec<Cow<'a, str>>,
}

impl<'a> Interner<'a> {
    /// The number of a text, a new one where it is met first.
    pub(crate) fn number(&mut self, text: Cow<'a, str>) -> u32 {
        let fresh = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let is_it = |number: u32| self.texts.get(number as usize) == Some(&text);
        let number = self
            .table
            .find_or_insert(hash(text.as_bytes()), fresh, is_it);
        if number == fresh {
            self.texts.push(text);
        }
        number
    }

    /// The number of a text that was met.
    pub(crate) fn find(&self, text: &str) -> Option<u32> {
        self.table.find(hash(text.as_bytes()), |number| {
            self.texts
                .get(number as usize)
                .is_some_and(|known| known == text)
        })
    }

    /// How many texts were met.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }
}

impl<'a> FromIterator<&'a str> for Interner<'a> {
    fn from_iter<T: IntoIterator<Item = &'a str>>(texts: T) -> Self {
        let mut interner = Self::default();
        for text in texts {
            interner.number(Cow::Borrowed(text));
        }
        interner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_usual() {
        for number in [0, 7, 10, 99, 100, u64::MAX] {
            assert_eq!(decimal(number), number.to_string());
        }
    }

    #[test]
    fn a_text_is_found_where_it_first_stands() {
        assert_eq!(find("a[b [… x", "[… "), Some(4));
        assert_eq!(find("aaab", "aab"), Some(1));
        assert_eq!(find("", "a"), None);
        assert_eq!(find("ab", "abc"), None);
    }

    #[test]
    fn equal_texts_have_one_number() {
        let mut interner = Interner::default();
        let numbers: Vec<u32> = ["a", "b", "a", ""]
            .into_iter()
            .map(|text| interner.number(Cow::Borrowed(text)))
            .collect();
        assert_eq!((numbers, interner.len()), (vec![0, 1, 0, 2], 3));
        assert_eq!((interner.find("b"), interner.find("c")), (Some(1), None));
    }
}
