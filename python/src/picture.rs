//! Pictures of runs: the ones of `earlydrop figure`, as SVG or for matplotlib to draw.

use earlydrop_report::figure::{self, Format, Length, Plot, Size, scene};
use earlydrop_report::run_report::Data;
use earlydrop_report::run_report::pictures::{Choices, What, picture};
use pyo3::prelude::*;

use crate::errors::value_error;

/// What a picture shows, and its size: a dictionary of these entries.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Picture {
    what: String,
    schemes: Vec<String>,
    metrics: Vec<String>,
    at: Vec<(String, String)>,
    title: String,
    x_label: Option<String>,
    y_label: Option<String>,
    width: String,
    height: Option<String>,
    font: String,
}

impl Picture {
    /// The picture for a program that draws it itself.
    pub(crate) fn json(self, data: &Data) -> PyResult<String> {
        let size = self.size()?;
        Ok(figure::json(&self.plot(data)?, &size).to_string())
    }

    /// The picture as an SVG file.
    pub(crate) fn svg(self, data: &Data) -> PyResult<String> {
        let size = self.size()?;
        let file = figure::file(&scene(&self.plot(data)?, &size), Format::Svg);
        String::from_utf8(file).map_err(value_error)
    }

    fn plot(self, data: &Data) -> PyResult<Plot> {
        let what: What = self.what.parse().map_err(value_error)?;
        let choices = Choices {
            schemes: self.schemes,
            metrics: self.metrics,
            at: self.at,
            title: self.title,
            x_label: self.x_label,
            y_label: self.y_label,
        };
        picture(data, what, &choices).map_err(value_error)
    }

    fn size(&self) -> PyResult<Size> {
        let length = |name: &str, text: &String| {
            let length = text.parse::<Length>();
            length.map_err(|allowed| value_error(format!("{name}={text}: {allowed}")))
        };
        let height = self.height.as_ref().map(|text| length("height", text));
        let (width, font) = (length("width", &self.width)?, length("font", &self.font)?);
        Size::of(width, height.transpose()?, font).map_err(value_error)
    }
}
