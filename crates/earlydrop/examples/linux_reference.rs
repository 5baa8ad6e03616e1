#[path = "../tests/linux/mod.rs"]
mod linux;
use linux::*;
fn main(){
    let args: Vec<String> = std::env::args().skip(1).collect();
    let dir = &args[0];
    for line in std::fs::read_to_string("/work/w20/bench/reference/linux/cases.txt").unwrap().lines() {
        if line.starts_with('#') { continue }
        let f: Vec<&str> = line.split('|').collect();
        if args.len() > 1 && !f[0].starts_with(&args[1]) { continue; }
        let trace = traces::trace(f[1]);
        for seed in 1..9 {
            let Ok(b) = std::fs::read(format!("{dir}/{}.{seed}", f[0])) else { continue };
            let w: Vec<u64> = b.chunks(8).map(|c| u64::from_le_bytes(c.try_into().unwrap())).collect();
            let k = &w[2..];
            let ours = replay::replay(f[4], seed, 10_000_000, (-(w[1] as i64)).rem_euclid(16_000_000) as u64, &trace);
            let code = |r: &replay::Record| match r.fate { replay::Fate::Passed => 0, replay::Fate::Marked => 1, replay::Fate::Dropped => 2 };
            let diff: Vec<usize> = k.iter().zip(&ours).enumerate().filter(|(_, (k,o))| (**k & 3) != code(o)).map(|(i,_)|i).collect();
            let late = k.iter().zip(&ours).filter(|(k,o)| (*k & 3) == code(o) && (*k>>2).abs_diff(o.left) > 1).count();
            if let Some(i) = diff.first() { println!("{:?} {:?}", k[*i] & 3, ours[*i]); }
            println!("{:14} {seed} draws {} timer {} n {} {} differ {:6} first {:?} late {late}", f[0], w[0], w[1], k.len(), trace.len(), diff.len(), diff.first());
        }
    }
}
