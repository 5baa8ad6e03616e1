//! Writes the page `docs/reference/results.md`: the tables of a run's database.

fn main() {
    print!("{}", earlydrop_lab::store::page());
}
