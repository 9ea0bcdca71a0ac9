//! Exports of saved documents: a model, or a selection where its list of features, or the model
//! that its method trained, is enough.

use std::path::Path;

use super::Selection;
use crate::document;
use crate::error::{Error, Result};
use crate::export::{ExportOptions, Target, TargetContent};
use crate::rank::Model;
use crate::remedy;

/// A saved document that can be exported.
#[derive(Debug, Clone, PartialEq)]
pub enum Exportable {
    /// A model.
    Model(Box<Model>),
    /// A selection.
    Selection(Box<Selection>),
}

impl Exportable {
    /// Loads a model or a selection.
    pub fn load(path: &Path) -> Result<Self> {
        match document::kind(path)?.as_deref() {
            Some(super::selection::KIND) => {
                Selection::load(path).map(|selection| Exportable::Selection(Box::new(selection)))
            }
            // Other documents are refused by the reader of models.
            _ => Model::load(path).map(|model| Exportable::Model(Box::new(model))),
        }
    }

    /// The document in the target's format.
    pub fn export(&self, target: &Target, options: &ExportOptions) -> Result<Vec<u8>> {
        match self {
            Exportable::Model(model) => target.export(model, options),
            Exportable::Selection(selection) => match &selection.model {
                _ if target.holds == TargetContent::Features => {
                    target.export(&Model::of_features(selection.features()), options)
                }
                Some(model) => target.export(model, options),
                None => Err(Error::unsupported(
                    format!("{} needs a model, and a selection is a list of features", target.name),
                    remedy![
                        "train a ranker on the selection and export its model, or export the \
                         selection to a target that lists features"
                    ],
                )),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synth::{Preset, generate};
    use crate::engine::LocalEngine;
    use crate::export::target;
    use crate::registry;
    use crate::run::{Constraints, Run};

    fn saved(method: &str) -> Exportable {
        let engine = LocalEngine::new(generate(&Preset::Tiny.config()).unwrap().0, 1).unwrap();
        let run = Run::new(1, Constraints { k: Some(2), ..Constraints::default() });
        let selection = registry::selector(method).unwrap().run(&[], &run, &engine).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json");
        selection.save(&path).unwrap();
        Exportable::load(&path).unwrap()
    }

    #[test]
    fn the_features_of_a_selection_are_exported_without_a_model() {
        let filter = saved("top-k");
        let export = |to: &str| filter.export(target(to).unwrap(), &ExportOptions::default());
        assert_eq!(export("ranklib-features").unwrap().split(|&c| c == b'\n').count(), 3);
        let error = export("ranklib").unwrap_err().to_string();
        assert!(error.contains("needs a model"), "{error}");
    }

    #[test]
    fn the_model_of_an_embedded_method_is_exported() {
        let embedded = saved("greedy-rankrls");
        let text = embedded.export(target("ranklib").unwrap(), &ExportOptions::default()).unwrap();
        assert!(String::from_utf8(text).unwrap().starts_with("## "));
    }
}
