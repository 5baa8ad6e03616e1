//! Which mutant is in use. Added to the core that is judged.
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

static CHOSEN: AtomicU32 = AtomicU32::new(0);
static REACHED: [AtomicBool; 20_000] = [const { AtomicBool::new(false) }; 20_000];

/// Chooses a mutant; 0 for none.
pub fn choose(number: u32) {
    CHOSEN.store(number, Relaxed);
}

/// Shows the mutants that were asked for.
pub fn reached(show: &mut dyn FnMut(usize)) {
    for (number, one) in REACHED.iter().enumerate() {
        if one.load(Relaxed) {
            show(number);
        }
    }
}

/// Whether this mutant is chosen.
pub fn on(number: u32) -> bool {
    REACHED[number as usize].store(true, Relaxed);
    CHOSEN.load(Relaxed) == number
}
