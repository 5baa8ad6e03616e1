//! The unit cube of a search: settings of a scheme as points, whose coordinates are those of the
//! searched parameters.

use earlydrop::registry::{LinkFacts, Spec};

use super::candidates::ParameterValues;
use super::search::Point;
use super::space::SearchDimension;

/// A scheme and the dimensions of its search.
#[derive(Clone, Debug)]
pub(super) struct Cube {
    /// The scheme with its own parameters.
    pub(super) spec: Spec,
    /// The link that it stands at.
    pub(super) link: LinkFacts,
    pub(super) dimensions: Vec<SearchDimension>,
}

impl Cube {
    /// The parameters at a point, as written in a scenario.
    pub(super) fn values(&self, point: &Point) -> ParameterValues {
        let parameter = |(dimension, at): (&SearchDimension, &f64)| {
            (dimension.parameter.name.to_string(), dimension.text(*at))
        };
        self.dimensions.iter().zip(point).map(parameter).collect()
    }

    /// The point at which these parameters are; that of the scheme's own where there are none.
    pub(super) fn point(&self, values: &ParameterValues) -> Point {
        let settings = self
            .with(values)
            .and_then(|spec| spec.settings(&self.link).ok());
        let coordinate = |dimension: &SearchDimension| {
            settings
                .as_ref()
                .map_or(0.5, |known| dimension.coordinate(known))
        };
        self.dimensions.iter().map(coordinate).collect()
    }

    /// Whether the scheme takes these parameters at its link.
    pub(super) fn accepts(&self, values: &ParameterValues) -> bool {
        let spec = self.with(values);
        spec.is_some_and(|spec| spec.plan(&self.link).is_ok())
    }

    /// The scheme with these parameters in place of its own.
    fn with(&self, values: &ParameterValues) -> Option<Spec> {
        let mut spec = self.spec.clone();
        for (name, value) in values {
            spec = spec.without(name).with(name, value).ok()?;
        }
        Some(spec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::space::tests::of;
    use earlydrop::units::BitsPerSec;

    #[test]
    fn points_and_parameters_are_the_same_settings() {
        let cube = Cube {
            spec: "red:min=5,max=15".parse().unwrap(),
            link: LinkFacts::at(BitsPerSec::from_mbps(10)),
            dimensions: of("red:min=5,max=15", &["min=1..100", "max=10..1000"]).unwrap(),
        };
        let values = cube.values(&vec![0.5, 0.25]);
        let written = [("min", "10 packets"), ("max", "32 packets")];
        let written = written.map(|(name, value)| (name.to_string(), value.to_string()));
        assert_eq!(values, written);
        let point = cube.point(&values);
        assert!(
            (point[0] - 0.5).abs() < 1e-9 && (point[1] - 0.2526).abs() < 1e-3,
            "{point:?}"
        );
        let own = cube.point(&ParameterValues::new());
        assert!((own[0] - 0.3495).abs() < 1e-3, "{own:?}");
        assert!(cube.accepts(&values));
        assert!(
            !cube.accepts(&cube.values(&vec![1.0, 0.0])),
            "min above max"
        );
    }
}
