//! Where to cut an output that is shortened.

use super::Kept;
use crate::token::{code_points, head, tail};

/// What to keep of a shortened output, in code points: about a third at the start and the rest at the end, where records
/// and logs have what matters, on line ends where one is near. Together never more than the options keep.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct SuggestedCut {
    /// From the start.
    pub head: u32,
    /// From the end.
    pub tail: u32,
}

impl SuggestedCut {
    pub(super) fn new(output: &str, kept: Kept) -> Self {
        let kept = kept.head_chars.saturating_add(kept.tail_chars);
        let head = head(output, (kept / 3) as usize);
        let tail = tail(output, (kept - kept / 3) as usize);
        let after_head = output.get(head.len()..).unwrap_or_default();
        let before_tail = output.get(..output.len() - tail.len()).unwrap_or_default();
        // A line end is near where it costs less than half of the piece.
        let head = match head.rfind('\n') {
            Some(end) if !after_head.starts_with('\n') && end * 2 >= head.len() => {
                head.get(..end).unwrap_or(head)
            }
            _ => head,
        };
        let tail = match tail.find('\n') {
            Some(end) if !before_tail.ends_with('\n') && end * 2 < tail.len() => {
                tail.get(end + 1..).unwrap_or(tail)
            }
            _ => tail,
        };
        // Of a short output nothing is kept twice.
        let tail = if head.len() + tail.len() > output.len() {
            output.get(head.len()..).unwrap_or_default()
        } else {
            tail
        };
        let chars = |text: &str| u32::try_from(code_points(text)).unwrap_or(u32::MAX);
        Self {
            head: chars(head),
            tail: chars(tail),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_gets_twice_as_much_as_the_start() {
        let kept = Kept {
            head_chars: 300,
            tail_chars: 0,
        };
        let cut = |output: &str| {
            let cut = SuggestedCut::new(output, kept);
            (cut.head, cut.tail)
        };
        assert_eq!(cut(&"é".repeat(1000)), (100, 200));
        let lines = format!("{}\n", "a".repeat(39)).repeat(50);
        assert_eq!(cut(&lines), (79, 200));
        let uneven = format!("{}{}", "x".repeat(500), "\nlast line".repeat(30));
        assert_eq!(cut(&uneven), (100, 199));
        let none = Kept {
            head_chars: 0,
            tail_chars: 0,
        };
        assert_eq!(
            SuggestedCut::new(&lines, none),
            SuggestedCut { head: 0, tail: 0 }
        );
    }
}
