//! Apache Parquet: label, query, document and one 32-bit column per feature, with the layout in the
//! metadata.
//!
//! One row group is in memory at a time and its columns are encoded on all cores. Row groups never
//! split a query, so that a reader may distribute them over machines.

use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, compute_leaves};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use rayon::prelude::*;

use super::write_atomically;
use crate::data::dataset::Dataset;
use crate::data::features::FeatureId;
use crate::data::read::ColumnLayout;
use crate::error::{Error, Result};

/// Approximate number of documents in a row group.
const GROUP_ROWS: usize = 100_000;

/// Writes the file.
pub(super) fn write(data: &Dataset, path: &Path) -> Result<()> {
    write_groups(data, path, GROUP_ROWS)
}

fn write_groups(data: &Dataset, path: &Path, group_rows: usize) -> Result<()> {
    let layout = layout(data)?;
    write_atomically(path, |out| {
        encode(data, &layout, group_rows, out).map_err(|error| match error {
            // The system's own message, if the system failed.
            ParquetError::External(inner) => Error::io("write", path, std::io::Error::other(inner)),
            other => Error::io("write", path, std::io::Error::other(other)),
        })
    })
}

/// The columns: the roles under names that no feature has, then the features.
fn layout(data: &Dataset) -> Result<ColumnLayout> {
    let table = data.features();
    if let Some(name) = table.first_duplicate() {
        return Err(Error::unsupported(
            format!("two features are called `{name}`, and Parquet columns need distinct names"),
            "rename one of them",
        ));
    }
    let features: Vec<_> = table.by_id().iter().map(|&f| table.get(f).clone()).collect();
    let free = |role: &str| {
        let mut name = role.to_owned();
        while features.iter().any(|feature| feature.label().eq_ignore_ascii_case(&name)) {
            name.insert_str(0, "__");
        }
        name
    };
    Ok(ColumnLayout {
        version: ColumnLayout::VERSION,
        label: free("label"),
        query: free("qid"),
        document: data.document_texts().map(|_| free("document")),
        features,
    })
}

fn encode(
    data: &Dataset,
    layout: &ColumnLayout,
    group_rows: usize,
    out: &mut (dyn Write + Send),
) -> Result<(), ParquetError> {
    let note = serde_json::to_string(layout).map_err(|e| ParquetError::External(Box::new(e)))?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        // A reader holds the dictionaries of all columns at once: small ones are useful for counts
        // and flags, large ones only cost memory.
        .set_dictionary_page_size_limit(1 << 14)
        .set_key_value_metadata(Some(vec![KeyValue::new(ColumnLayout::KEY.to_owned(), note)]))
        .build();
    let columns = FileColumns::new(data, layout);
    let schema = Arc::new(Schema::new(columns.fields.clone()));
    let writer = ArrowWriter::try_new(out, schema, Some(properties))?;
    let (mut file, groups) = writer.into_serialized_writer()?;
    for (index, queries) in row_groups(data, group_rows).into_iter().enumerate() {
        let writers = groups.create_column_writers(index)?;
        let encode_column =
            |(place, mut writer): (usize, parquet::arrow::arrow_writer::ArrowColumnWriter)| {
                let array = columns.array(place, queries.clone());
                for leaf in compute_leaves(&columns.fields[place], &array)? {
                    writer.write(&leaf)?;
                }
                writer.close()
            };
        let chunks: Vec<ArrowColumnChunk> = writers
            .into_par_iter()
            .enumerate()
            .map(encode_column)
            .collect::<Result<_, ParquetError>>()?;
        let mut group = file.next_row_group()?;
        for chunk in chunks {
            chunk.append_to_row_group(&mut group)?;
        }
        group.close()?;
    }
    file.close()?;
    Ok(())
}

/// The queries of each row group.
fn row_groups(data: &Dataset, rows: usize) -> Vec<Range<usize>> {
    let (mut groups, mut start, mut count) = (Vec::new(), 0, 0);
    for (query, size) in data.queries().sizes().enumerate() {
        if count > 0 && count + size > rows {
            groups.push(start..query);
            (start, count) = (query, 0);
        }
        count += size;
    }
    if count > 0 {
        groups.push(start..data.queries().len());
    }
    groups
}

/// The columns of the file, from which any range of rows can be converted to an array.
struct FileColumns<'a> {
    data: &'a Dataset,
    fields: Vec<Field>,
    kinds: Vec<ColumnKind>,
}

enum ColumnKind {
    Label,
    Query,
    Document,
    Feature(FeatureId),
}

impl<'a> FileColumns<'a> {
    fn new(data: &'a Dataset, layout: &ColumnLayout) -> Self {
        let number = |name: &str| Field::new(name, DataType::Float32, false);
        let text = |name: &str| Field::new(name, DataType::Utf8, false);
        let mut columns = vec![
            (number(&layout.label), ColumnKind::Label),
            (text(&layout.query), ColumnKind::Query),
        ];
        columns.extend(layout.document.as_deref().map(|name| (text(name), ColumnKind::Document)));
        let feature = |id: FeatureId| {
            let label = data.features().label(id);
            (Field::new(label, DataType::Float32, data.has_missing(id)), ColumnKind::Feature(id))
        };
        columns.extend(data.features().by_id().into_iter().map(feature));
        let (fields, kinds) = columns.into_iter().unzip();
        FileColumns { data, fields, kinds }
    }

    /// A column's values for some queries.
    fn array(&self, place: usize, queries: Range<usize>) -> ArrayRef {
        let known = self.data.queries();
        let rows = known.rows(queries.start).start..known.rows(queries.end - 1).end;
        let numbers =
            |all: &[f32]| -> ArrayRef { Arc::new(Float32Array::from(all[rows.clone()].to_vec())) };
        match self.kinds[place] {
            ColumnKind::Label => numbers(self.data.labels()),
            ColumnKind::Feature(feature) if self.fields[place].is_nullable() => {
                let values = self.data.column(feature)[rows].iter();
                Arc::new(values.map(|&x| (!x.is_nan()).then_some(x)).collect::<Float32Array>())
            }
            ColumnKind::Feature(feature) => numbers(self.data.column(feature)),
            ColumnKind::Query => {
                let ids = queries.flat_map(|query| known.rows(query).map(move |_| known.id(query)));
                Arc::new(StringArray::from_iter_values(ids))
            }
            ColumnKind::Document => {
                let texts = self.data.document_texts();
                let texts = rows.map(|row| texts.map_or("", |texts| texts.get(row)));
                Arc::new(StringArray::from_iter_values(texts))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Feature, FeatureTable, Queries, ReadOptions, read};

    #[test]
    fn row_groups_never_split_a_query() {
        let queries = Queries::from_sizes(&[3, 2, 5, 1, 1]);
        let data =
            Dataset::new(vec![0.5; 12], vec![1.0; 12], queries, FeatureTable::numbered(1, 1));
        assert_eq!(row_groups(&data, 4), [0..1, 1..2, 2..3, 3..5]);
        assert_eq!(row_groups(&data, 100).len(), 1);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        write_groups(&data, &path, 4).unwrap();
        assert_eq!(read(&[&path], &ReadOptions::default()).unwrap(), data);
    }

    #[test]
    fn features_named_like_roles_keep_their_names() {
        let names = ["label", "__label", "QID", "document", "url"];
        let features =
            (5..).zip(names).map(|(id, name)| Feature { id, name: Some(name.into()) }).collect();
        let data = Dataset::new(
            vec![1., 2., 3., 4., 5.],
            vec![2.0],
            Queries::new(&[1], vec!["a b".into()]),
            FeatureTable::from_features(features),
        )
        .with_documents(Some(["two\nlines"].into_iter().collect()));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        write(&data, &path).unwrap();
        assert_eq!(read(&[&path], &ReadOptions::default()).unwrap(), data);
    }
}
