//! `featherank rank`: score documents with a saved model.

use std::path::PathBuf;

use clap::ValueEnum;
use featherank::evaluate::{RunForm, RunOptions, write_run};
use featherank::internals::text::counted;
use featherank::rank::Model;

use crate::arguments::{Reading, note_found_by_id};
use crate::errors::CommandResult;
use crate::output::Output;

#[derive(clap::Args)]
pub struct RankArgs {
    /// Data to rank; several files form one data set, `-` reads standard input. Labels are not
    /// used; add --unjudged zero if documents have none
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// Model written by `featherank train`
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// File to write; `-` is standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t = RunFormat::Trec)]
    form: RunFormat,
    /// Run tag in TREC output
    #[arg(long, value_name = "NAME", default_value = "featherank")]
    tag: String,
    /// Write only the top N documents of each query
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, ValueEnum)]
enum RunFormat {
    /// A TREC run: query Q0 document rank score tag
    Trec,
    /// One score per line, in the order of the data
    Scores,
    /// Tab-separated: query, document, rank, score
    Tsv,
}

pub fn run(args: &RankArgs, output: &Output) -> CommandResult {
    let model = Model::load(&args.model)?;
    let data = args.reading.read(&args.data, output)?;
    if data.features().finds_by_id(model.features()) {
        note_found_by_id(output);
    }
    let scores = model.score(&data.view())?;
    let form = match args.form {
        RunFormat::Trec => RunForm::Trec,
        RunFormat::Scores => RunForm::Scores,
        RunFormat::Tsv => RunForm::Tsv,
    };
    let options = RunOptions { form, tag: args.tag.clone(), depth: args.depth };
    write_run(&data, &scores, &options, &args.output)?;
    if args.output.as_os_str() != "-" {
        output.note(format!(
            "wrote {}: {}, {}",
            args.output.display(),
            counted(data.queries().len(), "quer|y|ies"),
            counted(data.documents(), "document")
        ));
    }
    Ok(())
}
