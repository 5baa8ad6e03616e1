//! Whether figures are about what there is: experiments, schemes, axes, groups, claims.

use crate::catalogue::{Pace, Reproduced, is_called};
use crate::claims::{Selector, is_same};
use earlydrop_lab::document::{Problem, Problems, suggestion};
use earlydrop_lab::plan::Plan;

use super::places::undetermined;
use super::written::{Column, Curve, Kind, Measure, Named, Panel, has};

/// Every slip in a paper's figures, told with file and line.
pub fn check(paper: &Reproduced) -> Result<(), Problems> {
    let mut problems = Vec::new();
    let figures = &paper.figures;
    for figure in &figures.figures {
        check_claims(paper, &figure.claims, &mut problems);
        for panel in &figure.panels {
            problems.extend(check_experiment(paper, panel));
        }
    }
    check_claims(paper, &figures.text, &mut problems);
    problems.extend(homeless(paper));
    figures.problems(problems)
}

/// Names that are no claim's.
fn check_claims(paper: &Reproduced, names: &[Named], problems: &mut Vec<Problem>) {
    let ids = || paper.paper.claims.iter().map(|claim| claim.id.as_str());
    for named in names {
        if !ids().any(|id| is_called(id, &named.name)) {
            let message = format!("no claim is called {}", named.name);
            let nearest = earlydrop::registry::nearest(&named.name, ids());
            let help = nearest.map(|nearest| format!("did you mean {nearest}?"));
            let help = help.unwrap_or_default();
            problems.push(Problem::new(&named.place, message, help));
        }
    }
}

/// Claims that belong to no figure and are not said to, and those that belong to several.
fn homeless(paper: &Reproduced) -> Vec<Problem> {
    let figures = &paper.figures;
    let homes = |id: &str| {
        let of_figures = figures.figures.iter().filter(|figure| figure.has(id));
        of_figures.count() + usize::from(has(&figures.text, id))
    };
    let claims = paper.paper.claims.iter();
    let wrong = claims.map(|claim| (claim, homes(&claim.id)));
    wrong
        .filter(|(_, homes)| *homes != 1)
        .map(|(claim, homes)| {
            let message = format!("the claim {} belongs to {homes} figures", claim.id);
            let help = "allowed: one of a figure's `claims`, or one of `text`";
            Problem::new(&Default::default(), message, help)
        })
        .collect()
}

fn check_experiment(paper: &Reproduced, panel: &Panel) -> Vec<Problem> {
    let named = &panel.experiment;
    let Some(source) = paper.source(&named.name, Pace::Full) else {
        let message = format!("no experiment is called {}", named.name);
        let help = "allowed: a file beside this one, without .toml";
        return vec![Problem::new(&named.place, message, help)];
    };
    match source.and_then(|source| source.plan()) {
        Ok(plan) => Checker {
            plan: &plan,
            problems: Vec::new(),
        }
        .panel(panel),
        // The experiment's own file is told by whoever runs it.
        Err(_) => Vec::new(),
    }
}

/// What can be sampled of every queue.
const OF_QUEUES: [&str; 3] = ["queue", "drops", "marks"];
/// Before a group's name: what of it comes to a queue.
const ARRIVALS: &str = "arrivals of ";

struct Checker<'a> {
    plan: &'a Plan,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    fn panel(mut self, panel: &Panel) -> Vec<Problem> {
        for (named, value) in panel.ats().into_iter().flatten() {
            self.value(named, value);
        }
        let measure = panel.y.measure.as_ref();
        self.measure(measure);
        match &panel.kind {
            Kind::Sweep(curves) => self.sweep(panel, curves),
            Kind::Time(curves) => self.curves(panel, curves, |checker, curve| {
                checker.series(curve);
            }),
            Kind::Bars { curves, groups } => {
                for (_, group) in groups {
                    self.group(group);
                }
                self.curves(panel, curves, |_, _| {});
            }
            Kind::Distribution(curves) => self.curves(panel, curves, |checker, curve| {
                checker.group(&curve.group);
            }),
            Kind::DropFunction(curves) => {
                for curve in curves {
                    self.scheme(&curve.scheme);
                }
            }
            Kind::Table { columns, .. } => columns.iter().for_each(|column| self.column(column)),
        }
        self.problems
    }

    fn refuse(&mut self, named: &Named, message: String, help: String) {
        self.problems
            .push(Problem::new(&named.place, message, help));
    }

    /// Something that must be one of what there is.
    fn known(&mut self, named: &Named, what: &str, known: &[&str]) {
        if !known.contains(&named.name.as_str()) {
            let message = format!("no {what} is called {}", named.name);
            self.refuse(named, message, suggestion(&named.name, known, '`'));
        }
    }

    fn scheme(&mut self, named: &Named) {
        self.known(named, "scheme", &self.plan.labels());
    }

    fn group(&mut self, named: &Named) {
        let groups = &self.plan.scenario().groups;
        let groups: Vec<&str> = groups.iter().map(|group| &*group.name).collect();
        self.known(named, "group of flows", &groups);
    }

    fn axis(&mut self, named: &Named) {
        let axes = self.plan.axes.iter();
        let fields: Vec<&str> = axes.map(|axis| axis.field.as_str()).collect();
        self.known(named, "swept field", &fields);
    }

    fn value(&mut self, named: &Named, value: &str) {
        self.axis(named);
        let mut axes = self.plan.axes.iter();
        if let Some(axis) = axes.find(|axis| axis.field == named.name) {
            let texts = axis.texts();
            if !texts.iter().any(|text| is_same(text, value)) {
                let message = format!("{} is never {value}", named.name);
                self.refuse(named, message, format!("it is {}", texts.join(", ")));
            }
        }
    }

    fn measure(&mut self, measure: Option<&Measure>) {
        if let Some(measure) = measure
            && let Selector::Group(group, _) = &measure.selector
        {
            self.group(&Named {
                name: group.clone(),
                place: measure.place.clone(),
            });
        }
    }

    fn sweep(&mut self, panel: &Panel, curves: &[Curve]) {
        self.axis(&panel.x.field);
        let measure = panel.y.measure.as_ref();
        self.curves(panel, curves, |checker, curve| {
            checker.measure(curve.measure.as_ref());
            if curve.measure.as_ref().or(measure).is_none() {
                let message = "a curve without a measure".to_string();
                checker.refuse(&curve.scheme, message, "say `y.measure`".to_string());
            }
        });
    }

    /// Checks what all curves have: a scheme, and a place that is said whole.
    fn curves(&mut self, panel: &Panel, curves: &[Curve], mut more: impl FnMut(&mut Self, &Curve)) {
        for curve in curves {
            self.scheme(&curve.scheme);
            if !curve.each.name.is_empty() {
                self.axis(&curve.each);
            }
            let missing = undetermined(self.plan, panel, curve);
            if !missing.is_empty() {
                let message = format!(
                    "{} is swept in {}",
                    missing.join(", "),
                    panel.experiment.name
                );
                self.refuse(&curve.scheme, message, "say in `at` where".to_string());
            }
            more(self, curve);
        }
    }

    /// What a curve shows over time must be there to be sampled.
    fn series(&mut self, curve: &Curve) {
        if !curve.source.name.is_empty() {
            return;
        }
        let schemes = self.plan.scenario().schemes.iter();
        let probes = schemes
            .filter(|scheme| scheme.label == curve.scheme.name)
            .flat_map(|scheme| scheme.spec.descriptor().probes)
            .map(|probe| probe.name);
        let known: Vec<&str> = OF_QUEUES.iter().copied().chain(probes).collect();
        for named in [&curve.series].into_iter().chain(&curve.over) {
            match named.name.strip_prefix(ARRIVALS) {
                Some(group) => self.group(&Named {
                    name: group.to_string(),
                    place: named.place.clone(),
                }),
                None => self.known(named, "series", &known),
            }
        }
    }

    fn column(&mut self, column: &Column) {
        self.scheme(&column.scheme);
        self.measure(Some(&column.measure));
        if !column.per.name.is_empty() {
            self.axis(&column.per);
        }
    }
}
