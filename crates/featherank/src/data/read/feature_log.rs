//! Not yet.
use super::FileFeatures;
use super::assemble::Assembler;
use super::options::ReadOptions;
use super::source::Source;
use crate::error::{Location, Problem, Result};

pub(crate) fn read(
    source: Source,
    _options: &ReadOptions,
    _into: &mut Assembler<'_>,
) -> Result<FileFeatures> {
    Err(Problem::UnknownFormat.at(Location::file(source.name())))
}
