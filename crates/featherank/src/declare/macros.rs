//! The macros that expand declarations.

/// The parts of a parameter's declaration: its name, its kind in the registry, the types of its
/// field and of its setter's argument, and the setter's body.
#[doc(hidden)]
#[macro_export]
macro_rules! __parameter {
    // The name of the field, with hyphens.
    (@name $field:ident) => {
        const {
            const NAME: &str = stringify!($field);
            const BYTES: [u8; NAME.len()] = $crate::internals::hyphenated(NAME);
            match std::str::from_utf8(&BYTES) {
                Ok(name) => name,
                Err(_) => NAME,
            }
        }
    };

    (@kind Choice <$type:ty>) => {
        $crate::params::Kind::Choice(<$type as $crate::params::Choice>::WORDS)
    };
    (@kind Words ($words:expr)) => {
        $crate::params::Kind::Words($words)
    };
    (@kind $kind:ident $(<$type:ty>)? ($range:expr)) => {{
        let range = $range;
        $crate::params::Kind::$kind { min: *range.start(), max: *range.end() }
    }};
    (@kind $kind:ident) => {
        $crate::params::Kind::$kind
    };

    (@field $kind:ident <$type:ty>) => { $type };
    (@field Measure) => { $crate::measure::Measure };
    (@field Real) => { f64 };
    (@field Threshold) => { f32 };
    (@field Whole) => { u64 };
    (@field Auto) => { Option<f64> };
    (@field AutoWhole) => { Option<u64> };
    (@field Values) => { Vec<f64> };
    (@field Flag) => { bool };
    (@field Feature) => { String };
    (@field Ranker) => { $crate::rank::ChosenRanker };
    (@field Settings) => { Option<$crate::params::Settings> };
    (@field Words) => { String };

    (@argument Auto) => { f64 };
    (@argument AutoWhole) => { u64 };
    (@argument Values) => { &[f64] };
    (@argument Feature) => { &str };
    (@argument Ranker) => { impl Into<$crate::rank::RankerChoice> };
    (@argument Settings) => { &[(&str, &str)] };
    (@argument Words) => { &str };
    (@argument $($kind:tt)+) => { $crate::__parameter!(@field $($kind)+) };

    (@set Ranker $builder:expr, $field:ident, $value:expr) => {
        $builder.set_ranker($crate::__parameter!(@name $field), $value.into())
    };
    (@set Values $builder:expr, $field:ident, $value:expr) => {
        $crate::__parameter!(@text $builder, $field, $value)
    };
    (@set Feature $builder:expr, $field:ident, $value:expr) => {
        $crate::__parameter!(@text $builder, $field, $value)
    };
    (@set Settings $builder:expr, $field:ident, $value:expr) => {
        $crate::__parameter!(@text $builder, $field, $value)
    };
    (@set Words $builder:expr, $field:ident, $value:expr) => {
        $crate::__parameter!(@text $builder, $field, $value)
    };
    (@set $kind:ident $builder:expr, $field:ident, $value:expr) => {
        $crate::__parameter!(@text $builder, $field, &$value)
    };
    (@text $builder:expr, $field:ident, $value:expr) => {
        $builder.set(
            $crate::__parameter!(@name $field),
            $crate::params::ParamText::to_text($value),
        )
    };
}

/// Declares a selector or a ranker; see [`declare`](crate::declare).
#[macro_export]
macro_rules! method {
    (
        $(#[doc = $summary:literal])+
        pub struct $name:ident: $role:ident as $text:literal $(in $category:ident)?,
        cites [$($cite:literal),* $(,)?], $status:ident, $access:ident
        $(, with [$($fact:ident),+])? $(, grid [$($grid:tt)*])? $(, setters $setters:ident)?
        { $($body:tt)* }
    ) => {
        $crate::method! {
            @read {
                {[$($summary)+] $name params {$($setters)?}}
                {$role {$text} {$($category)?} {$($cite)*} $status $access {$($($fact)+)?} {$($($grid)*)?}}
            } {} {} {} $($body)*
        }
    };
    // A computed field.
    (@read $head:tt $params:tt {$($lets:tt)*} {$($fields:tt)*}
        derive $field:ident: $type:ty = $value:expr; $($rest:tt)*
    ) => {
        $crate::method! {
            @read $head $params {$($lets)* let $field: $type = $value;} {$($fields)* {$field $type}}
            $($rest)*
        }
    };
    // Parameters that several methods share.
    (@read $head:tt $params:tt $lets:tt $fields:tt use $group:ident!($($args:tt)*); $($rest:tt)*) => {
        $group! { {@read $head $params $lets $fields} {$($rest)*} $($args)* }
    };
    // A parameter without a field.
    (@read {{$summary:tt $name:ident $values:ident $setters:tt} $spec:tt}
        {$($params:tt)*} {$($lets:tt)*} $fields:tt
        $(#[doc = $doc:literal])+
        let $field:ident: $kind:ident $(<$type:ty>)? $(($range:expr))? = $default:literal,
        $($rest:tt)*
    ) => {
        $crate::method! {
            @read {{$summary $name $values $setters} $spec}
            {$($params)* {{$($doc)+} $field {$kind} {$(<$type>)?} {$(($range))?} $default}}
            {$($lets)*
                let $field: $crate::__parameter!(@field $kind $(<$type>)?) =
                    $values.get($crate::__parameter!(@name $field))?;
            }
            $fields
            $($rest)*
        }
    };
    // A parameter.
    (@read $head:tt $params:tt $lets:tt {$($fields:tt)*}
        $(#[doc = $doc:literal])+
        $field:ident: $kind:ident $(<$type:ty>)? $(($range:expr))? = $default:literal,
        $($rest:tt)*
    ) => {
        $crate::method! {
            @read $head $params $lets
            {$($fields)* {$field $crate::__parameter!(@field $kind $(<$type>)?)}}
            $(#[doc = $doc])+
            let $field: $kind $(<$type>)? $(($range))? = $default,
            $($rest)*
        }
    };
    // The whole body has been parsed.
    (@read {{[$($summary:literal)+] $name:ident $values:ident $setters:tt} $spec:tt}
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
                name: $crate::__parameter!(@name $field),
                kind: $crate::__parameter!(@kind $kind $($type)* $($range)*),
                default: $default,
                meaning: $crate::internals::plain(concat!($($doc),+)),
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

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.params).finish()
            }
        }

        $crate::method! {
            @setters $setters $name {$({{$($doc)+} $field {$kind} {$($type)*} $default})*}
        }
        $crate::method! { @spec $name {$($summary)+} $spec }
    };
    (@setters {} $name:ident {}) => {};
    (@setters {} $name:ident
        {$({{$($doc:literal)+} $field:ident {$kind:ident} {$($type:tt)*} $default:literal})+}
    ) => {
        impl $crate::declare::Builder<$name> {
            $(
                $(#[doc = $doc])+
                #[doc = concat!("\n\nDefault: `", $default, "`.")]
                #[must_use]
                pub fn $field(self, value: $crate::__parameter!(@argument $kind $($type)*)) -> Self {
                    $crate::__parameter!(@set $kind self, $field, value)
                }
            )+
        }
    };
    (@setters {$setters:ident} $name:ident
        {$({{$($doc:literal)+} $field:ident {$kind:ident} {$($type:tt)*} $default:literal})*}
    ) => {
        #[doc = concat!("The setters of the builder of [`", stringify!($name), "`].")]
        pub trait $setters: Sized {
            $(
                $(#[doc = $doc])+
                #[doc = concat!("\n\nDefault: `", $default, "`.")]
                #[must_use]
                fn $field(self, value: $crate::__parameter!(@argument $kind $($type)*)) -> Self;
            )*
        }

        impl $setters for $crate::declare::Builder<$name> {
            $(
                fn $field(self, value: $crate::__parameter!(@argument $kind $($type)*)) -> Self {
                    $crate::__parameter!(@set $kind self, $field, value)
                }
            )*
        }
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
                    type_name: stringify!($name),
                    summary: $crate::internals::plain(concat!($($summary),+)),
                    category: $crate::declare::Category::$category,
                    cites: &[$($cite),*],
                    status: $crate::declare::Status::$status,
                    access: $crate::declare::DataAccess::$access,
                    resumes: false,
                    uses_valid: false,
                    leaves_model: false,
                    compares_pairs: false,
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
                    type_name: stringify!($name),
                    summary: $crate::internals::plain(concat!($($summary),+)),
                    cites: &[$($cite),*],
                    status: $crate::declare::Status::$status,
                    access: $crate::declare::DataAccess::$access,
                    takes_missing: false,
                    uses_query_level: false,
                    compares_pairs: false,
                    params: <$name as $crate::declare::Method>::PARAMS,
                    grid: &[$(($crate::__parameter!(@name $tuned), &$values)),*],
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

/// Declares the words of a parameter as an enum, or assigns words to the variants of an existing
/// enum.
#[macro_export]
macro_rules! choice {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $($(#[$of_variant:meta])* $variant:ident = $word:literal),+ $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name { $($(#[$of_variant])* $variant),+ }

        $crate::choice! { impl $name { $($variant = $word),+ } }
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
