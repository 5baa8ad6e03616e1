//! Writes the tables of `docs/explanation/coexistence.md` anew from `bench/coexistence/table.csv`,
//! which `bench/coexistence/run.sh` makes.

#[path = "../tests/coexistence/mod.rs"]
mod coexistence;

fn main() -> std::io::Result<()> {
    let path = coexistence::page_path();
    let page = std::fs::read_to_string(&path)?;
    let tables = coexistence::tables(&coexistence::stored());
    std::fs::write(path, coexistence::with_tables(&page, &tables))
}
