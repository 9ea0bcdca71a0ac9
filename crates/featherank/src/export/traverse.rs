//! Traverses a tree, parents before children and left before right, for nested formats.
//!
//! Without recursion, because models may contain trees of any depth.

use crate::rank::tree::Tree;

/// A node of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TreeNode {
    /// A split, by its index.
    Split(usize),
    /// A leaf, by its index.
    Leaf(usize),
}

/// Which child of its parent a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Root,
    Left,
    Right,
}

/// A step of the traversal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// The start of a node.
    Enter(TreeNode, Side),
    /// The end of a node and its subtree.
    Leave(TreeNode),
}

impl TreeNode {
    /// The node that a child index refers to.
    pub(super) fn of(child: i32) -> Self {
        if child >= 0 {
            TreeNode::Split(child as usize)
        } else {
            TreeNode::Leaf((-1 - child) as usize)
        }
    }

    /// The index of the node if splits are numbered first, then leaves; the root is 0.
    pub(super) fn number(self, tree: &Tree) -> usize {
        match self {
            TreeNode::Split(split) => split,
            TreeNode::Leaf(leaf) => tree.feature.len() + leaf,
        }
    }
}

/// Calls `visit` for every event, with the node's depth.
pub(super) fn traverse(tree: &Tree, mut visit: impl FnMut(Event, usize)) {
    let root = if tree.feature.is_empty() { TreeNode::Leaf(0) } else { TreeNode::Split(0) };
    let mut pending = vec![(Event::Enter(root, Side::Root), 0)];
    while let Some((event, depth)) = pending.pop() {
        visit(event, depth);
        if let Event::Enter(node, _) = event {
            pending.push((Event::Leave(node), depth));
            if let TreeNode::Split(split) = node {
                pending
                    .push((Event::Enter(TreeNode::of(tree.right[split]), Side::Right), depth + 1));
                pending.push((Event::Enter(TreeNode::of(tree.left[split]), Side::Left), depth + 1));
            }
        }
    }
}
