#[path = "../tests/linux/mod.rs"]
mod linux;
use linux::*;
fn main(){
    let args: Vec<String> = std::env::args().skip(1).collect();
    let dir = &args[0];
    for line in std::fs::read_to_string(&args[1]).unwrap().lines() {
        let f: Vec<&str> = line.split('|').collect();
        if args.len() > 2 && !f[0].starts_with(&args[2]) { continue; }
        let trace = traces::trace(f[1]);
        let spec = f[2];
        let ours = replay::replay(spec, 1, 10_000_000, &trace);
        for run in 1..5 {
            let Ok(text) = std::fs::read(format!("{dir}/{}.{run}", f[0])) else { continue };
            let text: Vec<u8> = text.into_iter().filter(|c| b".md".contains(c)).collect();
            let n = text.len();
            let diff: Vec<usize> = text.iter().zip(&ours).enumerate().filter(|(_, (k,o))| replay::Fate::from_letter(**k) != Some(o.fate)).map(|(i,_)|i).collect();
            let dd: Vec<usize> = text.iter().zip(&ours).enumerate().filter(|(_, (k,o))| (**k == b'd') != (o.fate == replay::Fate::Dropped)).map(|(i,_)|i).collect();
            println!("   drops differ {} {:?}", dd.len(), &dd[..dd.len().min(12)]);
            let c = |l: u8| text.iter().filter(|c| **c == l).count();
            let o = |l: replay::Fate| ours.iter().filter(|c| c.fate == l).count();
            println!("{:14} {run} n {n} {} differ {:6} first {:?}   kernel d {} m {}   ours d {} m {}", f[0], trace.len(), diff.len(), diff.first(), c(b'd'), c(b'm'), o(replay::Fate::Dropped), o(replay::Fate::Marked));
        }
    }
    if args.len() > 3 { for (name, hash) in traces::TRACES {
        let b = traces::bytes(&traces::trace(name));
        let h = b.iter().fold(0xcbf2_9ce4_8422_2325u64, |h,b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3));
        println!("{name} {}", h == *hash);
    }}
}
