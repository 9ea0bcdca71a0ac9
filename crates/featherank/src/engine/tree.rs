//! Answers of blocks merged in an order that depends on the number of blocks alone.
//!
//! Sums of floating-point numbers depend on how they are bracketed. Here two answers are merged if
//! they are the two halves of a range of blocks whose length is a power of two and whose start is a
//! multiple of that length, as in a binary counter. A shard that holds neighbouring blocks can
//! therefore merge them as far as possible, and the driver merges the rest: the result has the same
//! bits for any distribution of blocks over threads, pieces of a file or machines. Rounding errors
//! grow with the logarithm of the number of blocks only.

use serde::{Deserialize, Serialize};

use super::Merge;

/// The merged answer of neighbouring blocks: their number is a power of two, and the first block's
/// number is a multiple of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Node<T> {
    /// The number of the first block.
    pub first: u64,
    /// The number of blocks.
    pub blocks: u64,
    /// Their answer.
    pub answer: T,
}

impl<T> Node<T> {
    /// The node of a single block.
    pub fn leaf(block: u64, answer: T) -> Self {
        Node { first: block, blocks: 1, answer }
    }

    /// The number of the block after the last.
    pub fn end(&self) -> u64 {
        self.first.saturating_add(self.blocks)
    }

    /// Whether the length is a power of two and the start a multiple of it.
    #[cfg(feature = "shards")]
    pub fn is_aligned(&self) -> bool {
        self.blocks.is_power_of_two() && self.first.is_multiple_of(self.blocks)
    }
}

/// Neighbouring answers, merged as far as possible.
#[derive(Debug)]
pub(crate) struct MergeTree<T> {
    nodes: Vec<Node<T>>,
}

impl<T: Merge> MergeTree<T> {
    pub fn new() -> Self {
        MergeTree { nodes: Vec::new() }
    }

    /// Adds the answer of the blocks that follow.
    pub fn push(&mut self, mut node: Node<T>) {
        while let Some(last) = self.nodes.pop_if(|last| are_halves(last, &node)) {
            node = Node {
                first: last.first,
                blocks: 2 * last.blocks,
                answer: last.answer.merge(node.answer),
            };
        }
        self.nodes.push(node);
    }

    /// The nodes that are not merged yet, in order.
    #[cfg(feature = "shards")]
    pub fn into_nodes(self) -> Vec<Node<T>> {
        self.nodes
    }

    /// The answer of all blocks; `None` if there are none.
    pub fn finish(mut self) -> Option<T> {
        let mut all = self.nodes.pop()?.answer;
        while let Some(before) = self.nodes.pop() {
            all = before.answer.merge(all);
        }
        Some(all)
    }
}

fn are_halves<T>(left: &Node<T>, right: &Node<T>) -> bool {
    left.blocks == right.blocks
        && left.end() == right.first
        && left.first.is_multiple_of(2 * left.blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows the brackets.
    impl Merge for String {
        fn merge(self, next: Self) -> Self {
            format!("({self}{next})")
        }
    }

    fn leaves(blocks: std::ops::Range<u64>) -> MergeTree<String> {
        let mut tree = MergeTree::new();
        blocks.for_each(|block| tree.push(Node::leaf(block, block.to_string())));
        tree
    }

    #[test]
    fn brackets_do_not_depend_on_how_blocks_are_distributed() {
        assert_eq!(leaves(0..6).finish().unwrap(), "(((01)(23))(45))");
        assert_eq!(leaves(0..7).finish().unwrap(), "(((01)(23))((45)6))");
        for count in 1..40 {
            let whole = leaves(0..count).finish().unwrap();
            for cut in 0..=count {
                for second in cut..=count {
                    let mut tree = MergeTree::new();
                    for part in [0..cut, cut..second, second..count] {
                        let nodes = leaves(part).into_nodes();
                        assert!(nodes.iter().all(Node::is_aligned));
                        nodes.into_iter().for_each(|node| tree.push(node));
                    }
                    assert_eq!(
                        tree.finish().unwrap(),
                        whole,
                        "{count} blocks cut at {cut} and {second}"
                    );
                }
            }
        }
        assert!(leaves(0..0).finish().is_none());
    }
}
