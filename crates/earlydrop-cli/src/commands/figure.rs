//! `earlydrop figure`: pictures of a stored run for papers.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use earlydrop_lab::files::{NewFile, Signature, create_folder};
use earlydrop_lab::store::Store;
use earlydrop_lab::summary::Summary;
use earlydrop_report::figure::{self, Length, PDF_HEAD, PGF_HEAD, Size, missing_letters, scene};
use earlydrop_report::run_report::gather;
use earlydrop_report::run_report::pictures::{self, Choices, picture};
use earlydrop_report::table::View;

use crate::failure::Failure;
use crate::output::{Output, error};
use crate::outputs::Overwriting;

/// Write a picture of a stored run for a paper, as SVG, PDF or PGF
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop figure runs/satellite-1a2b3c4d --what scatter --format pdf
  earlydrop figure runs/satellite-1a2b3c4d --what sweep --metric delay_p99 --format svg,pdf,pgf
  earlydrop figure runs/satellite-1a2b3c4d --what time --schemes red,codel --width 7in --out red.pdf

PGF needs \\usepackage{pgf} in the document, and \\input{FILE} where the figure stands.")]
pub(crate) struct Figure {
    /// The run's folder
    run: PathBuf,
    /// What it shows
    #[arg(long, value_enum, default_value_t = What::Scatter)]
    what: What,
    /// The formats [default: that of --out's ending, or svg]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    format: Vec<Format>,
    /// The width: 3.3in, 84mm, 240pt; or a column (two columns) of IEEE's or ACM's format: ieee,
    /// ieee2, acm, acm2
    #[arg(long, value_name = "LENGTH", default_value = "ieee")]
    width: Length,
    /// The height [default: one that suits the width]
    #[arg(long, value_name = "LENGTH")]
    height: Option<Length>,
    /// The font size: 8pt
    #[arg(long, value_name = "LENGTH", default_value = "8pt")]
    font: Length,
    /// The title above the picture [default: none]
    #[arg(long, value_name = "TEXT", default_value = "")]
    title: String,
    /// The x axis's label
    #[arg(long, value_name = "TEXT")]
    x_label: Option<String>,
    /// The y axis's label; of time series, that of the first panel
    #[arg(long, value_name = "TEXT")]
    y_label: Option<String>,
    /// The metric of a sweep, the two of a scatter (x,y), or the names of time series
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    metric: Vec<String>,
    /// The schemes, by their labels [default: all; over time, the first with an average]
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    schemes: Vec<String>,
    /// The value of a swept field at which the picture is taken: network.rtt=50ms [default: the
    /// first]
    #[arg(long, value_name = "FIELD=VALUE")]
    at: Vec<String>,
    /// The folder, or with a single format the file [default: `figures` in the run's folder]
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    #[command(flatten)]
    overwriting: Overwriting,
}

/// What a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum What {
    /// What a group of flows waits for against what another gets, or two metrics
    Scatter,
    /// A metric along a swept field
    Sweep,
    /// Queue, average, probability, drops and cwnd over time, of one scheme or two
    Time,
    /// The share of packets with at most a time in the queue
    Cdf,
    /// The share of packets with more than a time in the queue
    Tail,
    /// Slowdowns of transfers by their size
    Sizes,
}

/// A format of files.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Format {
    /// Scalable Vector Graphics
    Svg,
    /// Portable Document Format; text in Helvetica, which is not embedded
    Pdf,
    /// Commands of LaTeX's package pgf; text in the document's font
    Pgf,
}

impl Format {
    fn of_report(self) -> figure::Format {
        match self {
            Format::Svg => figure::Format::Svg,
            Format::Pdf => figure::Format::Pdf,
            Format::Pgf => figure::Format::Pgf,
        }
    }

    /// What a file of this format begins with.
    fn signature(self) -> Signature {
        match self {
            Format::Svg => Signature::PICTURE,
            Format::Pdf => Signature::beginning(PDF_HEAD),
            Format::Pgf => Signature::beginning(PGF_HEAD),
        }
    }
}

pub(crate) fn run(arguments: &Figure, out: &mut Output<'_>) -> Result<(), Failure> {
    let size = size(arguments)?;
    let files = files(arguments)?;
    let store = Store::open(&arguments.run)?;
    let plan = store.source()?.plan()?.on(store.hosts()?);
    let summary = Summary::of_store(&plan, &store)?;
    let data = gather(&plan, &store, &summary, &View::default())?;
    let plot = picture(&data, arguments.what(), &arguments.choices()?);
    let plot = plot.map_err(|error| Failure::Usage(error.to_string()))?;
    let scene = scene(&plot, &size);
    let overwrite = arguments.overwriting.files();
    let mut begun = Vec::new();
    for (format, path) in files {
        if let Some(folder) = path.parent().filter(|folder| *folder != Path::new("")) {
            create_folder(folder)?;
        }
        let file = NewFile::create(&path, &format.signature(), overwrite)?;
        begun.push((format, path, file));
    }
    for (format, path, file) in begun {
        file.complete_with(&figure::file(&scene, format.of_report()))?;
        writeln!(out, "{}", path.display())?;
        let missing = missing_letters(&scene);
        if format == Format::Pdf && !missing.is_empty() {
            let letters: String = missing.iter().collect();
            error(&format!(
                "note: {}: Helvetica has no {letters}; a question mark stands there. SVG and PGF \
                 keep them",
                path.display()
            ));
        }
    }
    Ok(())
}

fn size(arguments: &Figure) -> Result<Size, Failure> {
    let size = Size::of(arguments.width, arguments.height, arguments.font);
    size.map_err(|error| Failure::Usage(format!("--{error}")))
}

/// The files to write, each with its format.
fn files(arguments: &Figure) -> Result<Vec<(Format, PathBuf)>, Failure> {
    let ending = |path: &Path| {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        let mut formats = Format::value_variants().iter();
        formats
            .find(|format| format.of_report().extension() == ending)
            .copied()
    };
    let named = arguments
        .out
        .as_deref()
        .and_then(|path| Some((ending(path)?, path)));
    let mut formats = arguments.format.clone();
    formats.dedup();
    match (named, formats.as_slice()) {
        (Some((format, path)), []) => return Ok(vec![(format, path.to_path_buf())]),
        (Some((format, path)), [only]) if *only == format => {
            return Ok(vec![(format, path.to_path_buf())]);
        }
        (Some((_, path)), given) => {
            let names: Vec<&str> = given
                .iter()
                .map(|format| format.of_report().extension())
                .collect();
            return Err(Failure::Usage(format!(
                "--out {}: the file's ending is not --format {}; name a folder, or leave --format \
                 out",
                path.display(),
                names.join(",")
            )));
        }
        (None, []) => formats.push(Format::Svg),
        (None, _) => {}
    }
    let default = || arguments.run.join("figures");
    let folder = arguments.out.clone().unwrap_or_else(default);
    let value = arguments.what.to_possible_value();
    let name = value.map_or(String::new(), |value| value.get_name().to_string());
    let path = |format: Format| {
        let file = format!("{name}.{}", format.of_report().extension());
        (format, folder.join(file))
    };
    Ok(formats.into_iter().map(path).collect())
}

impl Figure {
    fn what(&self) -> pictures::What {
        match self.what {
            What::Scatter => pictures::What::Scatter,
            What::Sweep => pictures::What::Sweep,
            What::Time => pictures::What::Time,
            What::Cdf => pictures::What::Cdf,
            What::Tail => pictures::What::Tail,
            What::Sizes => pictures::What::Sizes,
        }
    }

    fn choices(&self) -> Result<Choices, Failure> {
        let at = self.at.iter().map(|text| {
            let pair = text.split_once('=');
            let (field, value) = pair.ok_or_else(|| {
                let example = "allowed: FIELD=VALUE, as in network.rtt=50ms";
                Failure::Usage(format!("--at {text}: {example}"))
            })?;
            Ok::<_, Failure>((field.trim().to_string(), value.trim().to_string()))
        });
        Ok(Choices {
            schemes: self.schemes.clone(),
            metrics: self.metric.clone(),
            at: at.collect::<Result<_, _>>()?,
            title: self.title.clone(),
            x_label: self.x_label.clone(),
            y_label: self.y_label.clone(),
        })
    }
}
