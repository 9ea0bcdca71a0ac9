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
//! `with [..]`, the flags of its registry entry that are true, and for rankers by `grid [..]`, the
//! values that tuning tries. In the body:
//!
//! - `name: Kind<Type>(range) = "default",` is a parameter and a field of the struct. `Type` may be
//!   omitted if the kind has a default type: see `value_type!`.
//! - `let name: ..` is a parameter without a field, for use in a `derive`.
//! - `derive name: Type = expression;` is a field that is computed from the parameters above it.
//! - `use group!(..);` includes parameters that several methods share. A group is a macro that
//!   forwards the tokens it receives, with its own declarations inserted before the remaining ones.

use std::fmt;
use std::marker::PhantomData;

use serde::Serialize;

use crate::error::Result;
use crate::params::{Param, Params};

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

/// The data access that a method needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        Builder { set: Vec::new(), method: PhantomData }
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
    method: PhantomData<fn() -> M>,
}

impl<M: Method> Builder<M> {
    /// Sets a parameter by name, as on the command line.
    #[must_use]
    pub fn set(mut self, name: &str, value: impl Into<String>) -> Self {
        self.set.push((name.to_owned(), value.into()));
        self
    }

    /// Checks the parameters and builds the method.
    pub fn build(self) -> Result<M> {
        M::from_params(&Params::new(M::NAME, M::PARAMS, &self.set)?)
    }
}

impl<M: Method> fmt::Debug for Builder<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("method", &M::NAME).field("set", &self.set).finish()
    }
}

/// A doc comment as one line: without the leading space and the final full stop.
pub(crate) const fn plain(doc: &'static str) -> &'static str {
    let doc = doc.trim_ascii();
    match doc.as_bytes() {
        [.., b'.'] => doc.split_at(doc.len() - 1).0,
        _ => doc,
    }
}

/// The bytes of a field's name with hyphens instead of underscores, the spelling of parameters.
pub(crate) const fn hyphenated<const N: usize>(name: &str) -> [u8; N] {
    let (mut bytes, mut i) = ([0; N], 0);
    while i < N {
        bytes[i] = if name.as_bytes()[i] == b'_' { b'-' } else { name.as_bytes()[i] };
        i += 1;
    }
    bytes
}

/// The name of a parameter: the name of the field, with hyphens.
macro_rules! parameter_name {
    ($field:ident) => {
        const {
            const NAME: &str = stringify!($field);
            const BYTES: [u8; NAME.len()] = $crate::declare::hyphenated(NAME);
            match std::str::from_utf8(&BYTES) {
                Ok(name) => name,
                Err(_) => NAME,
            }
        }
    };
}

/// The kind of a parameter, as listed in the registry.
macro_rules! kind {
    (Choice <$type:ty>) => {
        $crate::params::Kind::Choice(<$type as $crate::params::Choice>::WORDS)
    };
    (Words ($words:expr)) => {
        $crate::params::Kind::Words($words)
    };
    ($kind:ident $(<$type:ty>)? ($range:expr)) => {{
        let range = $range;
        $crate::params::Kind::$kind { min: *range.start(), max: *range.end() }
    }};
    ($kind:ident) => {
        $crate::params::Kind::$kind
    };
}

/// The type of a parameter's field.
macro_rules! value_type {
    ($kind:ident <$type:ty>) => { $type };
    (Measure) => { $crate::measure::Measure };
    (Real) => { f64 };
    (Whole) => { u64 };
    (Auto) => { Option<f64> };
    (AutoWhole) => { Option<u64> };
    (Values) => { Vec<f64> };
    (Flag) => { bool };
    (Feature) => { String };
    (Ranker) => { $crate::params::RankerName };
    (Settings) => { Option<$crate::params::Settings> };
    (Words) => { String };
}

/// The type of a setter's argument.
macro_rules! argument_type {
    (Auto) => { f64 };
    (AutoWhole) => { u64 };
    (Values) => { &[f64] };
    (Feature) => { &str };
    (Ranker) => { &str };
    (Settings) => { &[(&str, &str)] };
    (Words) => { &str };
    ($($kind:tt)+) => { $crate::declare::value_type!($($kind)+) };
}

/// Declares a selector or a ranker; see the [module](self).
macro_rules! method {
    (
        $(#[doc = $summary:literal])+
        pub struct $name:ident: $role:ident as $text:literal $(in $category:ident)?,
        cites [$($cite:literal),* $(,)?], $status:ident, $access:ident
        $(, with [$($fact:ident),+])? $(, grid [$($grid:tt)*])?
        { $($body:tt)* }
    ) => {
        $crate::declare::method! {
            @read {
                {[$($summary)+] $name params}
                {$role {$text} {$($category)?} {$($cite)*} $status $access {$($($fact)+)?} {$($($grid)*)?}}
            } {} {} {} $($body)*
        }
    };
    // A computed field.
    (@read $head:tt $params:tt {$($lets:tt)*} {$($fields:tt)*}
        derive $field:ident: $type:ty = $value:expr; $($rest:tt)*
    ) => {
        $crate::declare::method! {
            @read $head $params {$($lets)* let $field: $type = $value;} {$($fields)* {$field $type}}
            $($rest)*
        }
    };
    // Parameters that several methods share.
    (@read $head:tt $params:tt $lets:tt $fields:tt use $group:ident!($($args:tt)*); $($rest:tt)*) => {
        $group! { {@read $head $params $lets $fields} {$($rest)*} $($args)* }
    };
    // A parameter without a field.
    (@read {{$summary:tt $name:ident $values:ident} $spec:tt} {$($params:tt)*} {$($lets:tt)*}
        $fields:tt
        $(#[doc = $doc:literal])+
        let $field:ident: $kind:ident $(<$type:ty>)? $(($range:expr))? = $default:literal,
        $($rest:tt)*
    ) => {
        $crate::declare::method! {
            @read {{$summary $name $values} $spec}
            {$($params)* {{$($doc)+} $field {$kind} {$(<$type>)?} {$(($range))?} $default}}
            {$($lets)*
                let $field: $crate::declare::value_type!($kind $(<$type>)?) =
                    $values.get($crate::declare::parameter_name!($field))?;
            }
            $fields
            $($rest)*
        }
    };
    // A parameter.
    (@read {{$summary:tt $name:ident $values:ident} $spec:tt} {$($params:tt)*} {$($lets:tt)*}
        {$($fields:tt)*}
        $(#[doc = $doc:literal])+
        $field:ident: $kind:ident $(<$type:ty>)? $(($range:expr))? = $default:literal,
        $($rest:tt)*
    ) => {
        $crate::declare::method! {
            @read {{$summary $name $values} $spec} {$($params)*} {$($lets)*}
            {$($fields)* {$field $crate::declare::value_type!($kind $(<$type>)?)}}
            $(#[doc = $doc])+
            let $field: $kind $(<$type>)? $(($range))? = $default,
            $($rest)*
        }
    };
    // The whole body has been parsed.
    (@read {{[$($summary:literal)+] $name:ident $values:ident} $spec:tt}
        {$({{$($doc:literal)+} $field:ident {$kind:ident} {$($type:tt)*} {$($range:tt)*} $default:literal})*}
        {$($lets:tt)*}
        {$({$stored:ident $stored_type:ty})*}
    ) => {
        $(#[doc = $summary])+
        ///
        /// | Parameter | Default | Meaning |
        /// |---|---|---|
        $(#[doc = concat!(
            "| `", stringify!($field), "` | `", $default, "` |", $($doc),+, " |"
        )])*
        pub struct $name {
            params: $crate::params::Params,
            $($stored: $stored_type,)*
        }

        impl $crate::declare::Method for $name {
            const NAME: &'static str = Self::SPEC.name;
            const PARAMS: &'static [$crate::params::Param] = &[$($crate::params::Param {
                name: $crate::declare::parameter_name!($field),
                kind: $crate::declare::kind!($kind $($type)* $($range)*),
                default: $default,
                meaning: $crate::declare::plain(concat!($($doc),+)),
            }),*];

            fn from_params($values: &$crate::params::Params) -> $crate::Result<Self> {
                $($lets)*
                Ok($name { params: $values.clone(), $($stored),* })
            }
        }

        impl $name {
            /// Sets parameters; those that are not set have their defaults.
            pub fn builder() -> $crate::declare::Builder<Self> {
                <Self as $crate::declare::Method>::builder()
            }
        }

        impl $crate::declare::Builder<$name> {
            $(
                $(#[doc = $doc])+
                #[doc = concat!("\n\nDefault: `", $default, "`.")]
                #[must_use]
                pub fn $field(
                    self,
                    value: $crate::declare::argument_type!($kind $($type)*),
                ) -> Self {
                    let text = $crate::params::ParamText::to_text(
                        $crate::declare::by_reference!($kind value),
                    );
                    self.set($crate::declare::parameter_name!($field), text)
                }
            )*
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.params).finish()
            }
        }

        $crate::declare::method! { @spec $name {$($summary)+} $spec }
    };
    (@spec $name:ident {$($summary:literal)+}
        {Selector {$text:literal} {$category:ident} {$($cite:literal)*} $status:ident
            $access:ident {$($fact:ident)*} {}}
    ) => {
        impl $name {
            /// The registry's entry.
            pub const SPEC: $crate::select::SelectorSpec = $crate::select::SelectorSpec {
                $($fact: true,)*
                ..$crate::select::SelectorSpec {
                    name: $text,
                    summary: $crate::declare::plain(concat!($($summary),+)),
                    category: $crate::declare::Category::$category,
                    cites: &[$($cite),*],
                    status: $crate::declare::Status::$status,
                    access: $crate::declare::DataAccess::$access,
                    resumes: false,
                    uses_valid: false,
                    leaves_model: false,
                    params: <$name as $crate::declare::Method>::PARAMS,
                    build: |params| {
                        let method = <$name as $crate::declare::Method>::from_params(params)?;
                        Ok(Box::new(method))
                    },
                }
            };
        }

        impl $crate::declare::Declared<$crate::select::SelectorSpec> for $name {
            fn spec(&self) -> &'static $crate::select::SelectorSpec {
                &Self::SPEC
            }

            fn params(&self) -> &$crate::params::Params {
                &self.params
            }
        }
    };
    (@spec $name:ident {$($summary:literal)+}
        {Ranker {$text:literal} {} {$($cite:literal)*} $status:ident
            $access:ident {$($fact:ident)*} {$($tuned:ident: $values:expr),* $(,)?}}
    ) => {
        impl $name {
            /// The registry's entry.
            pub const SPEC: $crate::rank::RankerSpec = $crate::rank::RankerSpec {
                $($fact: true,)*
                ..$crate::rank::RankerSpec {
                    name: $text,
                    summary: $crate::declare::plain(concat!($($summary),+)),
                    cites: &[$($cite),*],
                    status: $crate::declare::Status::$status,
                    access: $crate::declare::DataAccess::$access,
                    takes_missing: false,
                    params: <$name as $crate::declare::Method>::PARAMS,
                    grid: &[$(($crate::declare::parameter_name!($tuned), &$values)),*],
                    build: |params| {
                        let ranker = <$name as $crate::declare::Method>::from_params(params)?;
                        Ok(Box::new(ranker))
                    },
                }
            };
        }

        impl $crate::declare::Declared<$crate::rank::RankerSpec> for $name {
            fn spec(&self) -> &'static $crate::rank::RankerSpec {
                &Self::SPEC
            }

            fn params(&self) -> &$crate::params::Params {
                &self.params
            }
        }
    };
}

/// A reference to a setter's argument; the arguments of some kinds are references already.
macro_rules! by_reference {
    (Values $value:ident) => {
        $value
    };
    (Feature $value:ident) => {
        $value
    };
    (Ranker $value:ident) => {
        $value
    };
    (Settings $value:ident) => {
        $value
    };
    (Words $value:ident) => {
        $value
    };
    ($kind:ident $value:ident) => {
        &$value
    };
}

/// Declares the words of a parameter as an enum, or assigns words to the variants of an existing
/// enum.
macro_rules! choice {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $($(#[$of_variant:meta])* $variant:ident = $word:literal),+ $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name { $($(#[$of_variant])* $variant),+ }

        $crate::declare::choice! { impl $name { $($variant = $word),+ } }
    };
    (impl $name:ty { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $crate::params::ParamText for $name {
            fn to_text(&self) -> String {
                match self { $(Self::$variant => $word),+ }.to_owned()
            }
        }

        impl $crate::params::ParamValue for $name {
            fn parse(name: &str, text: &str) -> $crate::Result<Self> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => {
                        let words = <Self as $crate::params::Choice>::WORDS.join(", ");
                        Err($crate::Error::invalid(name, text, words))
                    }
                }
            }
        }

        impl $crate::params::Choice for $name {
            const WORDS: &'static [&'static str] = &[$($word),+];
        }
    };
}

pub(crate) use {argument_type, by_reference, choice, kind, method, parameter_name, value_type};
