//! Checks that figures refer to what exists: experiments, schemes, axes, groups, claims.

use earlydrop_lab::document::{Problem, Problems, suggestion};
use earlydrop_lab::plan::Plan;

use super::coordinates::undetermined;
use crate::catalogue::{Pace, PaperEntry};
use crate::claims::{Selector, id_matches, is_same_value};
use crate::figures::{ColumnSpec, CurveSpec, Measure, NameRef, PanelKind, PanelSpec, any_matches};

/// Checks a paper's figures; every error has its line in `figures.toml`.
pub fn check(paper: &PaperEntry) -> Result<(), Problems> {
    let mut problems = Vec::new();
    let figures = &paper.figures;
    for figure in &figures.figures {
        check_claims(paper, &figure.claims, &mut problems);
        for panel in &figure.panels {
            problems.extend(check_experiment(paper, panel));
        }
    }
    check_claims(paper, &figures.text, &mut problems);
    problems.extend(misplaced_claims(paper));
    figures.refuse(problems)
}

/// Adds a problem for each name that no claim's id begins with.
fn check_claims(paper: &PaperEntry, names: &[NameRef], problems: &mut Vec<Problem>) {
    let ids = || paper.paper.claims.iter().map(|claim| claim.id.as_str());
    for reference in names {
        if !ids().any(|id| id_matches(id, &reference.name)) {
            let message = format!("no claim is called {}", reference.name);
            let nearest = earlydrop::registry::nearest(&reference.name, ids());
            let help = nearest.map(|nearest| format!("did you mean {nearest}?"));
            let help = help.unwrap_or_default();
            problems.push(Problem::new(&reference.place, message, help));
        }
    }
}

/// A problem for each claim that belongs neither to one figure nor to `text`.
fn misplaced_claims(paper: &PaperEntry) -> Vec<Problem> {
    let figures = &paper.figures;
    let places = |id: &str| {
        let of_figures = figures.figures.iter().filter(|figure| figure.has(id));
        of_figures.count() + usize::from(any_matches(&figures.text, id))
    };
    let claims = paper.paper.claims.iter();
    let counted = claims.map(|claim| (claim, places(&claim.id)));
    counted
        .filter(|(_, places)| *places != 1)
        .map(|(claim, places)| {
            let message = format!("the claim {} belongs to {places} figures", claim.id);
            let help = "allowed: one of a figure's `claims`, or one of `text`";
            Problem::new(&Default::default(), message, help)
        })
        .collect()
}

fn check_experiment(paper: &PaperEntry, panel: &PanelSpec) -> Vec<Problem> {
    let reference = &panel.experiment;
    let Some(source) = paper.source(&reference.name, Pace::Full) else {
        let message = format!("no experiment is called {}", reference.name);
        let help = "allowed: a file next to this one, without .toml";
        return vec![Problem::new(&reference.place, message, help)];
    };
    match source.and_then(|source| source.plan()) {
        Ok(plan) => Checker {
            plan: &plan,
            problems: Vec::new(),
        }
        .panel(panel),
        // Errors of the experiment's own file are reported when it is run.
        Err(_) => Vec::new(),
    }
}

/// The series of every queue.
const OF_QUEUES: [&str; 3] = ["queue", "drops", "marks"];
/// Come before a group's name in the series of its arrivals at a queue and its departures, in bits
/// and in packets.
const OF_GROUPS: [&str; 4] = [
    "arrivals of ",
    "departures of ",
    "packet arrivals of ",
    "packet departures of ",
];

struct Checker<'a> {
    plan: &'a Plan,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    fn panel(mut self, panel: &PanelSpec) -> Vec<Problem> {
        for (reference, value) in panel.all_coordinates().into_iter().flatten() {
            self.value(reference, value);
        }
        let measure = panel.y.measure.as_ref();
        self.measure(measure);
        match panel.kind {
            PanelKind::Sweep => self.sweep(panel),
            PanelKind::Time => self.curves(panel, |checker, curve| checker.series(curve)),
            PanelKind::Bars => {
                for group in &panel.groups {
                    self.group(&group.group);
                }
                self.curves(panel, |_, _| {});
            }
            PanelKind::Distribution => {
                self.curves(panel, |checker, curve| checker.group(&curve.group));
            }
            PanelKind::DropFunction => {
                for curve in panel.curves() {
                    self.scheme(&curve.scheme);
                }
            }
            PanelKind::Table => panel.columns.iter().for_each(|column| self.column(column)),
        }
        self.problems
    }

    fn refuse(&mut self, reference: &NameRef, message: String, help: String) {
        self.problems
            .push(Problem::new(&reference.place, message, help));
    }

    /// Refuses a name that is not among `known`.
    fn known(&mut self, reference: &NameRef, what: &str, known: &[&str]) {
        if !known.contains(&reference.name.as_str()) {
            let message = format!("no {what} is called {}", reference.name);
            self.refuse(reference, message, suggestion(&reference.name, known, '`'));
        }
    }

    fn scheme(&mut self, reference: &NameRef) {
        self.known(reference, "scheme", &self.plan.labels());
    }

    fn group(&mut self, reference: &NameRef) {
        let groups = &self.plan.scenario().groups;
        let groups: Vec<&str> = groups.iter().map(|group| &*group.name).collect();
        self.known(reference, "group of flows", &groups);
    }

    fn axis(&mut self, reference: &NameRef) {
        let axes = self.plan.axes.iter();
        let fields: Vec<&str> = axes.map(|axis| axis.field.as_str()).collect();
        self.known(reference, "swept field", &fields);
    }

    fn value(&mut self, reference: &NameRef, value: &str) {
        self.axis(reference);
        let mut axes = self.plan.axes.iter();
        if let Some(axis) = axes.find(|axis| axis.field == reference.name) {
            let texts = axis.texts();
            if !texts.iter().any(|text| is_same_value(text, value)) {
                let message = format!("{} is never {value}", reference.name);
                self.refuse(reference, message, format!("it is {}", texts.join(", ")));
            }
        }
    }

    fn measure(&mut self, measure: Option<&Measure>) {
        if let Some(measure) = measure
            && let Selector::Group(group, _) = &measure.selector
        {
            self.group(&NameRef {
                name: group.clone(),
                place: measure.place.clone(),
            });
        }
    }

    fn sweep(&mut self, panel: &PanelSpec) {
        self.axis(&panel.x.field);
        let measure = panel.y.measure.as_ref();
        self.curves(panel, |checker, curve| {
            checker.measure(curve.measure.as_ref());
            if !curve.minus.name.is_empty() {
                checker.scheme(&curve.minus);
            }
            if curve.measure.as_ref().or(measure).is_none() {
                let message = "a curve without a measure".to_string();
                checker.refuse(&curve.scheme, message, "give `y.measure`".to_string());
            }
        });
    }

    /// Checks what all curves have: a scheme, and a value for each swept field.
    fn curves(&mut self, panel: &PanelSpec, mut more: impl FnMut(&mut Self, &CurveSpec)) {
        for curve in panel.curves() {
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
                self.refuse(&curve.scheme, message, "give its value in `at`".to_string());
            }
            more(self, curve);
        }
    }

    /// Checks that the curve's series can be sampled at the watched link.
    fn series(&mut self, curve: &CurveSpec) {
        if !curve.source.name.is_empty() {
            return;
        }
        let schemes = self.plan.scenario().schemes.iter();
        let probes = schemes
            .filter(|scheme| scheme.label == curve.scheme.name)
            .flat_map(|scheme| scheme.spec.descriptor().probes)
            .map(|probe| probe.name);
        let known: Vec<&str> = OF_QUEUES.iter().copied().chain(probes).collect();
        for reference in [&curve.series].into_iter().chain(&curve.over) {
            let name = reference.name.as_str();
            match OF_GROUPS.iter().find_map(|what| name.strip_prefix(what)) {
                Some(group) => self.group(&NameRef {
                    name: group.to_string(),
                    place: reference.place.clone(),
                }),
                None => self.known(reference, "series", &known),
            }
        }
    }

    fn column(&mut self, column: &ColumnSpec) {
        self.scheme(&column.scheme);
        self.measure(Some(&column.measure));
        if !column.per.name.is_empty() {
            self.axis(&column.per);
        }
    }
}
