//! A curve of one's own: Pb grows with the cube of the average.

use earlydrop::red::{CurveLaw, Piece, Pieces, Strength, with_curve};
use earlydrop::registry::{ConfigError, Descriptor, LinkFacts, Spec};
use earlydrop::units::BitsPerSec;

/// `Pb = max_p ((avg - min)/(max - min))^3`, everything from max on.
const CUBE: CurveLaw = CurveLaw {
    name: "cube",
    equation: "max_p ((avg-min)/(max-min))^3, all from max on",
    source: "CONTRIBUTING.md",
    strength: Strength::MaxP,
    pieces: |shape| {
        let width = shape.max - shape.min;
        let mut cube = Piece::starting_at(shape.min);
        cube.scaled[3] = 1.0 / (width * width * width);
        Pieces::new(&[cube], shape.max)
    },
};

static SCHEME: Descriptor = with_curve("cube-red", "RED with a cube", "CONTRIBUTING.md", &CUBE);

fn main() -> Result<(), ConfigError> {
    let spec = Spec::of(&SCHEME).with("min", "10")?.with("adapt", "ared")?;
    let plan = spec.plan(&LinkFacts::at(BitsPerSec::from_mbps(10)))?;
    let pb = plan.curve().map(|curve| curve.probability(20.0));
    println!("{spec}: Pb(20) = {pb:?}");
    Ok(())
}
