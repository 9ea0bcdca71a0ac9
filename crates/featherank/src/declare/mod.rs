//! Method declarations: one declaration generates the typed struct with its builder, the registry
//! entry, the parser of `-p name=value`, and the parameter tables in all documentation.
//!
//! ```text
//! method! {
//!     /// Features whose merged rankings could gain most.
//!     pub struct BestGain: Selector as "best-gain" in Filter,
//!         cites ["costa2010"], AsPublished, Passes
//!     {
//!         /// Measure that says how well a feature ranks.
//!         measure: Measure = "map[ties=expected]",
//!         /// Smallest gain that justifies another feature.
//!         delta: Real(0.0..=1.0) = "0.01",
//!     }
//! }
//! ```
//!
//! The doc comments are the summary of the method and the descriptions of the parameters. The
//! status is followed by the data access that the method needs ([`DataAccess`]), then optionally by
//! `with [..]`, the flags of its registry entry that are true, for rankers by `grid [..]`, the
//! values that tuning tries, and by `setters Name`: a method with parameters that is declared
//! outside this crate names the trait of its builder's setters, because only this crate can add
//! inherent functions to [`Builder`]. In the body:
//!
//! - `name: Kind<Type>(range) = "default",` is a parameter and a field of the struct. `Type` may be
//!   omitted if the kind has a default type. The kinds are those of
//!   [`Kind`](crate::params::Kind).
//! - `let name: ..` is a parameter without a field, for use in a `derive`.
//! - `derive name: Type = expression;` is a field that is computed from the parameters above it.
//! - `use group!(..);` includes parameters that several methods share. A group is a macro that
//!   forwards the tokens it receives, with its own declarations inserted before the remaining ones.

mod macros;
pub(crate) mod names;

use std::fmt;
use std::marker::PhantomData;

use serde::Serialize;

use crate::error::Result;
use crate::params::{Param, Params, RankerEntry};
#[doc(no_inline)]
pub use crate::{choice, method};

/// How closely an implementation follows its paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Follows the publication; the method's documentation lists the departures.
    AsPublished,
    /// Our interpretation of a publication that leaves essential parts open.
    Reconstruction,
    /// Not published elsewhere.
    Original,
}

/// The category of a selector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Evaluates features without training a ranker.
    Filter,
    /// Trains a ranker on many subsets.
    Wrapper,
    /// Selects features during training.
    Embedded,
}

impl Status {
    /// Its word in lists and documents.
    pub const fn word(self) -> &'static str {
        match self {
            Status::AsPublished => "as-published",
            Status::Reconstruction => "reconstruction",
            Status::Original => "original",
        }
    }
}

impl Category {
    /// Its word in lists and documents.
    pub const fn word(self) -> &'static str {
        match self {
            Category::Filter => "filter",
            Category::Wrapper => "wrapper",
            Category::Embedded => "embedded",
        }
    }
}

/// The data access that a method needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DataAccess {
    /// Answers of passes only: the data may be on other machines.
    Passes,
    /// The rows, in this process.
    Rows,
}

impl DataAccess {
    /// Whether passes are sufficient.
    pub const fn is_passes(self) -> bool {
        matches!(self, DataAccess::Passes)
    }

    /// Its words in lists and documents.
    pub const fn words(self) -> &'static str {
        match self {
            DataAccess::Passes => "passes only",
            DataAccess::Rows => "needs rows",
        }
    }
}

/// A method with declared parameters.
pub trait Method: Sized {
    /// Its name in the registry.
    const NAME: &'static str;
    /// Its parameters.
    const PARAMS: &'static [Param];

    /// Builds the method from checked parameters.
    fn from_params(params: &Params) -> Result<Self>;

    /// Returns a builder; parameters that are not set have their defaults.
    fn builder() -> Builder<Self> {
        Builder { set: Vec::new(), rankers: Vec::new(), method: PhantomData }
    }
}

/// Access of every built method to its declaration; `S` is the type of the registry entry.
pub trait Declared<S: 'static> {
    /// The registry entry.
    fn spec(&self) -> &'static S;
    /// The parameters it was built with.
    fn params(&self) -> &Params;
}

/// Sets the parameters of a method and builds it. Each method has one setter per parameter.
pub struct Builder<M> {
    set: Vec<(String, String)>,
    /// Rankers that were set as values.
    rankers: Vec<(String, &'static dyn RankerEntry)>,
    method: PhantomData<fn() -> M>,
}

impl<M: Method> Builder<M> {
    /// Sets a parameter by name, as on the command line.
    #[must_use]
    pub fn set(mut self, name: &str, value: impl Into<String>) -> Self {
        self.rankers.retain(|(of, _)| of != name);
        self.set.push((name.to_owned(), value.into()));
        self
    }

    /// Sets a parameter to a declared ranker.
    pub(crate) fn set_entry(self, name: &str, ranker: &'static dyn RankerEntry) -> Self {
        let mut builder = self.set(name, ranker.name());
        builder.rankers.push((name.to_owned(), ranker));
        builder
    }

    /// Checks the parameters and builds the method.
    pub fn build(self) -> Result<M> {
        let params = Params::new(M::NAME, M::PARAMS, &self.set)?;
        let rankers = self.rankers.into_iter();
        M::from_params(
            &rankers.fold(params, |params, (name, entry)| params.with_ranker(&name, entry)),
        )
    }
}

impl<M: Method> fmt::Debug for Builder<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("method", &M::NAME).field("set", &self.set).finish()
    }
}
