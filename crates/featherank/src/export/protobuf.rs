//! The part of Protocol Buffers that is needed to write an ONNX model.

/// A message that is being written.
#[derive(Debug, Default)]
pub(super) struct Message(Vec<u8>);

const VARINT: u64 = 0;
const LENGTH: u64 = 2;

impl Message {
    /// The bytes.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn tag(&mut self, field: u64, wire: u64) {
        self.varint(field << 3 | wire);
    }

    /// An integer; negative ones as two's complement in 64 bits.
    #[must_use]
    pub(super) fn int(mut self, field: u64, value: i64) -> Self {
        self.tag(field, VARINT);
        self.varint(value as u64);
        self
    }

    /// Bytes, or a text.
    #[must_use]
    pub(super) fn bytes(mut self, field: u64, bytes: impl AsRef<[u8]>) -> Self {
        self.tag(field, LENGTH);
        self.varint(bytes.as_ref().len() as u64);
        self.0.extend(bytes.as_ref());
        self
    }

    /// A nested message.
    #[must_use]
    pub(super) fn message(self, field: u64, inner: Message) -> Self {
        self.bytes(field, inner.0)
    }

    /// Packed integers.
    #[must_use]
    pub(super) fn ints(self, field: u64, values: &[i64]) -> Self {
        let mut packed = Message::default();
        values.iter().for_each(|&value| packed.varint(value as u64));
        self.message(field, packed)
    }

    /// Packed 32-bit floats.
    #[must_use]
    pub(super) fn floats(self, field: u64, values: &[f32]) -> Self {
        let packed: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.bytes(field, packed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the encoding's documentation: 150 in field 1, "testing" in field 2, a
    /// message in field 3, and the packed numbers 3, 270, 86942 in field 4.
    #[test]
    fn the_documented_examples() {
        assert_eq!(Message::default().int(1, 150).into_bytes(), [0x08, 0x96, 0x01]);
        let text = Message::default().bytes(2, "testing").into_bytes();
        assert_eq!(text, [0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67]);
        let nested = Message::default().message(3, Message::default().int(1, 150)).into_bytes();
        assert_eq!(nested, [0x1a, 0x03, 0x08, 0x96, 0x01]);
        let packed = Message::default().ints(4, &[3, 270, 86942]).into_bytes();
        assert_eq!(packed, [0x22, 0x06, 0x03, 0x8E, 0x02, 0x9E, 0xA7, 0x05]);
        let negative = Message::default().int(1, -1).into_bytes();
        assert_eq!((negative.len(), negative[10]), (11, 0x01));
    }
}
