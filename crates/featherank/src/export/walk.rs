//! A walk through a tree, parents before children and left before right, for formats that nest.
//!
//! Without recursion: how deep trees are is up to whoever made the model.

use crate::rank::tree::Tree;

/// A node of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Node {
    /// A split, by its place in the tree's lists.
    Split(usize),
    /// A leaf, by its place in the tree's list.
    Leaf(usize),
}

/// Which child of its parent a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Root,
    Left,
    Right,
}

/// What happens on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// A node begins.
    Enter(Node, Side),
    /// A node, with all that is below it, ends.
    Leave(Node),
}

impl Node {
    /// The node that a child stands for.
    pub(super) fn of(child: i32) -> Self {
        if child >= 0 { Node::Split(child as usize) } else { Node::Leaf((-1 - child) as usize) }
    }

    /// The number of the node where splits are counted first, then leaves; the root is 0.
    pub(super) fn number(self, tree: &Tree) -> usize {
        match self {
            Node::Split(split) => split,
            Node::Leaf(leaf) => tree.feature.len() + leaf,
        }
    }
}

/// Calls `visit` for every event, with the node's depth.
pub(super) fn walk(tree: &Tree, mut visit: impl FnMut(Event, usize)) {
    let root = if tree.feature.is_empty() { Node::Leaf(0) } else { Node::Split(0) };
    let mut ahead = vec![(Event::Enter(root, Side::Root), 0)];
    while let Some((event, depth)) = ahead.pop() {
        visit(event, depth);
        if let Event::Enter(node, _) = event {
            ahead.push((Event::Leave(node), depth));
            if let Node::Split(split) = node {
                ahead.push((Event::Enter(Node::of(tree.right[split]), Side::Right), depth + 1));
                ahead.push((Event::Enter(Node::of(tree.left[split]), Side::Left), depth + 1));
            }
        }
    }
}
