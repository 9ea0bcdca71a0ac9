//! A hash that is the same in every release and on every machine.

/// FNV-1a over eight bytes at a time: stable across releases and machines, unlike the hashers of
/// `std`.
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        // Multiplication only carries upwards; folding the high bits back lets every input bit
        // reach the low ones.
        self.0 ^= self.0 >> 32;
    }

    /// Adds one byte.
    pub(crate) fn byte(&mut self, byte: u8) {
        self.word(u64::from(byte));
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.byte(b));
        self.word(bytes.len() as u64);
    }

    /// The hash of what was added.
    pub(crate) fn value(&self) -> u64 {
        self.0
    }
}
