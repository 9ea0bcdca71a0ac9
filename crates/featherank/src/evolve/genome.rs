//! Genomes of bits, and genomes of bits and reals.

use std::fmt::{self, Display, Formatter};
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

const WORD: usize = u64::BITS as usize;

/// A genome of bits, packed into words.
///
/// Serialised as its length and hexadecimal digits, four genes to a digit with the first gene in
/// the lowest bit: `5:31` has the genes 0, 1 and 4. Ordered by length, then by words; the order has
/// no other meaning.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Bits {
    length: usize,
    /// Bits past the length are always 0, so that words can be compared and counted directly.
    words: Vec<u64>,
}

impl Bits {
    /// A genome of `length` genes, none of them set.
    #[must_use]
    pub fn new(length: usize) -> Self {
        Self { length, words: vec![0; length.div_ceil(WORD)] }
    }

    /// A genome with exactly these genes set.
    #[must_use]
    pub fn from_indices(length: usize, indices: impl IntoIterator<Item = usize>) -> Self {
        let mut bits = Self::new(length);
        for index in indices {
            bits.set(index, true);
        }
        bits
    }

    /// A genome whose words come from a function, 64 genes at a time. Bits past the length are
    /// cleared.
    #[must_use]
    pub fn from_words(length: usize, mut word: impl FnMut() -> u64) -> Self {
        let mut words: Vec<u64> = (0..length.div_ceil(WORD)).map(|_| word()).collect();
        if let Some(last) = words.last_mut() {
            *last &= u64::MAX >> (length.next_multiple_of(WORD) - length);
        }
        Self { length, words }
    }

    /// A genome with one range of genes set. Genes past the length are ignored.
    #[must_use]
    pub fn from_range(length: usize, genes: Range<usize>) -> Self {
        let below = |end: usize, start: usize| match end.saturating_sub(start) {
            0 => 0,
            count if count < WORD => (1 << count) - 1,
            _ => u64::MAX,
        };
        let mut starts = (0..).step_by(WORD);
        Self::from_words(length, || {
            let start = starts.next().unwrap_or(length);
            below(genes.end, start) & !below(genes.start, start)
        })
    }

    /// The number of genes.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }

    /// The number of genes that are set.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether a gene is set.
    ///
    /// # Panics
    /// Here and in the methods below, if there is no such gene, as with a slice.
    #[must_use]
    pub fn get(&self, index: usize) -> bool {
        let (word, mask) = self.place(index);
        self.words[word] & mask != 0
    }

    /// Sets or clears a gene.
    pub fn set(&mut self, index: usize, value: bool) {
        let (word, mask) = self.place(index);
        if value {
            self.words[word] |= mask;
        } else {
            self.words[word] &= !mask;
        }
    }

    /// Flips a gene.
    pub fn flip(&mut self, index: usize) {
        let (word, mask) = self.place(index);
        self.words[word] ^= mask;
    }

    /// Flips every gene that is set in `mask`, a genome of the same length.
    pub fn flip_masked(&mut self, mask: &Self) {
        debug_assert_eq!(self.length, mask.length);
        for (word, mask) in self.words.iter_mut().zip(&mask.words) {
            *word ^= mask;
        }
    }

    /// Two genomes of the same length with the genes that are set in `mask` exchanged.
    #[must_use]
    pub fn exchange(&self, other: &Self, mask: &Self) -> (Self, Self) {
        let mut difference = self.clone();
        difference.flip_masked(other);
        for (word, mask) in difference.words.iter_mut().zip(&mask.words) {
            *word &= mask;
        }
        let (mut first, mut second) = (self.clone(), other.clone());
        first.flip_masked(&difference);
        second.flip_masked(&difference);
        (first, second)
    }

    /// The indices of the genes that are set, in ascending order.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(place, &word)| {
            // Each step clears the lowest remaining bit.
            std::iter::successors(Some(word), |left| Some(left & left.wrapping_sub(1)))
                .take_while(|&left| left != 0)
                .map(move |left| place * WORD + left.trailing_zeros() as usize)
        })
    }

    /// The number of genes in which two genomes of the same length differ.
    #[must_use]
    pub fn hamming(&self, other: &Self) -> usize {
        debug_assert_eq!(self.length, other.length);
        self.words.iter().zip(&other.words).map(|(a, b)| (a ^ b).count_ones() as usize).sum()
    }

    /// The Euclidean distance of two genomes as 0/1 vectors: the square root of the Hamming
    /// distance.
    #[must_use]
    pub fn distance(&self, other: &Self) -> f64 {
        (self.hamming(other) as f64).sqrt()
    }

    /// The index of the word that holds a gene, and the gene's bit in it.
    fn place(&self, index: usize) -> (usize, u64) {
        // The last word has unused bits; setting one would make equal genomes compare unequal.
        assert!(index < self.length, "gene {index} of a genome of {}", self.length);
        (index / WORD, 1 << (index % WORD))
    }
}

const DIGITS_IN_WORD: usize = WORD / 4;

impl Display for Bits {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.length)?;
        for digit in 0..self.length.div_ceil(4) {
            let word = self.words[digit / DIGITS_IN_WORD];
            write!(f, "{:x}", word >> (4 * (digit % DIGITS_IN_WORD)) & 0xf)?;
        }
        Ok(())
    }
}

impl From<Bits> for String {
    fn from(bits: Bits) -> Self {
        bits.to_string()
    }
}

/// The text is not a genome of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseBitsError;

impl Display for ParseBitsError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a genome is its length, a colon and a hexadecimal digit for every four genes, as in 5:31",
        )
    }
}

impl std::error::Error for ParseBitsError {}

impl FromStr for Bits {
    type Err = ParseBitsError;

    fn from_str(text: &str) -> Result<Self, ParseBitsError> {
        let (length, digits) = text.split_once(':').ok_or(ParseBitsError)?;
        let length: usize = length.parse().map_err(|_| ParseBitsError)?;
        // Checked before allocating: the text may claim any length.
        if digits.len() != length.div_ceil(4) {
            return Err(ParseBitsError);
        }
        let mut words = vec![0; length.div_ceil(WORD)];
        for (place, digit) in digits.chars().enumerate() {
            let digit = digit.to_digit(16).ok_or(ParseBitsError)?;
            words[place / DIGITS_IN_WORD] |= u64::from(digit) << (4 * (place % DIGITS_IN_WORD));
        }
        let mut given = words.iter().copied();
        let bits = Self::from_words(length, || given.next().unwrap_or(0));
        if bits.words == words { Ok(bits) } else { Err(ParseBitsError) }
    }
}

impl TryFrom<String> for Bits {
    type Error = ParseBitsError;

    fn try_from(text: String) -> Result<Self, ParseBitsError> {
        text.parse()
    }
}

/// A genome of bits and reals. Reals are compared by bit pattern: 0 and -0 differ, and a NaN equals
/// itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Mixed {
    /// The bits: what is selected.
    pub bits: Bits,
    /// The reals: the weights.
    pub reals: Vec<f64>,
}

impl Mixed {
    fn patterns(&self) -> impl Iterator<Item = u64> + '_ {
        self.reals.iter().map(|real| real.to_bits())
    }
}

impl PartialEq for Mixed {
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits && self.patterns().eq(other.patterns())
    }
}

impl Eq for Mixed {}

impl Hash for Mixed {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits.hash(state);
        self.patterns().for_each(|pattern| pattern.hash(state));
    }
}

/// The range of a real gene.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GeneBounds {
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
}

impl GeneBounds {
    /// The nearest value within the bounds; the least one for a NaN.
    pub(super) fn clamp(self, value: f64) -> f64 {
        value.max(self.low).min(self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::config;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn malformed_texts_are_rejected() {
        assert_eq!(Bits::from_indices(5, [0, 4]).to_string(), "5:11");
        assert_eq!("5:31".parse(), Ok(Bits::from_indices(5, [0, 1, 4])));
        assert_eq!("0:".parse(), Ok(Bits::new(0)));
        for wrong in [
            "",
            "5",
            "5:1",
            "5:12",
            "5:1g",
            "5:111",
            "x:11",
            "-1:",
            "99999999999999999999:0",
            "4:é",
        ] {
            assert_eq!(wrong.parse::<Bits>(), Err(ParseBitsError), "{wrong}");
        }
        assert_eq!(format!("18446744073709551615:{:0>9}", 0).parse::<Bits>(), Err(ParseBitsError));
    }

    #[test]
    #[should_panic = "gene 5 of a genome of 5"]
    fn genes_past_the_end_panic() {
        Bits::new(5).set(5, true);
    }

    #[test]
    fn mixed_genomes_compare_bit_for_bit() {
        let mixed = |real: f64| Mixed { bits: Bits::new(3), reals: vec![real] };
        assert_eq!(mixed(f64::NAN), mixed(f64::NAN));
        assert_ne!(mixed(0.0), mixed(-0.0));
    }

    proptest! {
        #![proptest_config(config())]

        /// Every operation, compared with a vector of booleans.
        #[test]
        fn bits_behave_like_a_vector_of_booleans(pairs in prop::collection::vec(any::<[bool; 3]>(), 0..200)) {
            let side = |which: usize| -> Vec<bool> { pairs.iter().map(|pair| pair[which]).collect() };
            let indices = |side: &[bool]| -> Vec<usize> { (0..side.len()).filter(|&gene| side[gene]).collect() };
            let pack = |side: &[bool]| Bits::from_indices(side.len(), indices(side));
            let (a, b, mask) = (pack(&side(0)), pack(&side(1)), pack(&side(2)));
            prop_assert_eq!(a.ones().collect::<Vec<_>>(), indices(&side(0)));
            prop_assert_eq!(a.count(), indices(&side(0)).len());
            prop_assert_eq!(a.hamming(&b), pairs.iter().filter(|pair| pair[0] != pair[1]).count());
            let (first, second) = a.exchange(&b, &mask);
            let chosen = |own: usize, other: usize| -> Vec<bool> {
                pairs.iter().map(|pair| if pair[2] { pair[other] } else { pair[own] }).collect()
            };
            prop_assert_eq!(&first, &pack(&chosen(0, 1)));
            prop_assert_eq!(&second, &pack(&chosen(1, 0)));
            let mut flipped = a.clone();
            for gene in mask.ones() {
                prop_assert_eq!(flipped.get(gene), a.get(gene));
                flipped.flip(gene);
                prop_assert_ne!(flipped.get(gene), a.get(gene));
            }
            let mut masked = a.clone();
            masked.flip_masked(&mask);
            prop_assert_eq!(&masked, &flipped);
            let text = serde_json::to_string(&a).unwrap();
            prop_assert_eq!(serde_json::from_str::<Bits>(&text).unwrap(), a);
        }

        #[test]
        fn a_range_sets_its_genes(length in 0usize..200, start in 0usize..220, extent in 0usize..220) {
            let expected = Bits::from_indices(length, (start..start + extent).filter(|&gene| gene < length));
            prop_assert_eq!(Bits::from_range(length, start..start + extent), expected);
        }
    }
}
