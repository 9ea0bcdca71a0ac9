//! `featherank rank`: score documents with a saved model.

use std::path::PathBuf;

use clap::ValueEnum;
use featherank::evaluate::{RunForm, RunOptions, write_run};
use featherank::rank::Model;

use crate::arguments::Reading;
use crate::output::{Output, grouped};

#[derive(clap::Args)]
pub struct Args {
    /// Data to rank, as one data set; `-` is standard input. Labels are read and not used; where
    /// documents have none, --unjudged zero reads them all the same
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// The model, as `featherank train` writes it
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// Write the ranking to this file
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// What to write
    #[arg(long, value_enum, default_value_t = Form::Trec)]
    form: Form,
    /// The name of the run, in TREC runs
    #[arg(long, value_name = "NAME", default_value = "featherank")]
    tag: String,
    /// Write only so many documents of each query, the best ones
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// A TREC run: query Q0 document rank score tag
    Trec,
    /// One score a line, in the order of the data
    Scores,
    /// A table: query, document, rank, score
    Tsv,
}

pub fn run(args: &Args, output: &Output) -> anyhow::Result<()> {
    let model = Model::load(&args.model)?;
    let data = args.reading.read(&args.data, output)?;
    let scores = model.score(&data.view())?;
    let form = match args.form {
        Form::Trec => RunForm::Trec,
        Form::Scores => RunForm::Scores,
        Form::Tsv => RunForm::Tsv,
    };
    let options = RunOptions { form, tag: args.tag.clone(), depth: args.depth };
    write_run(&data, &scores, &options, &args.output)?;
    if args.output.as_os_str() != "-" {
        output.note(format!(
            "wrote {}: {} queries, {} documents",
            args.output.display(),
            grouped(data.queries().len() as u64),
            grouped(data.documents() as u64)
        ));
    }
    Ok(())
}
