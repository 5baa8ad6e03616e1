//! Prints the table of `docs/explanation/validation.md` that compares the baselines in the papers' scenario
//! files with ns-2's figures: `cargo run --release -p earlydrop-papers --example baselines`.

#[path = "../tests/baselines/mod.rs"]
mod baselines;
#[allow(dead_code)]
#[path = "../../earlydrop-sim/tests/ns2/mod.rs"]
mod ns2;
#[allow(dead_code, unused_imports)]
#[path = "../../earlydrop-sim/tests/reference/mod.rs"]
mod reference;

fn main() {
    let comparisons = baselines::compare(&ns2::figures());
    print!("{}", reference::markdown_table(&ns2::NS2, &comparisons));
    let by_chance = baselines::false_alarms(&ns2::NS2, &comparisons);
    println!("\nMissed with other seeds: {by_chance:.3} figures, on average.");
}
