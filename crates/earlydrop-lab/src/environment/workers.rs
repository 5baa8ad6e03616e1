//! Episodes on threads: in chunks, each of which any thread can step.
//!
//! Each thread steps the chunks of its own share first, whose episodes are in the caches of its
//! core, and then what is left of others'. The calling thread works, too, so a step waits for no
//! thread that is yet to wake up, only for chunks that are under way. A chunk is moved to its
//! thread and back, with room for what a step reads and writes, so a step allocates nothing and
//! shares nothing.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::episode::{Episode, World};
use super::signal::Signal;
use super::{EnvironmentError, Outputs, PARTS, Slices};
use crate::document::Problem;

/// Episodes that one thread steps, with their actions and outputs.
#[derive(Debug)]
struct Chunk {
    world: Arc<World>,
    episodes: Vec<Episode>,
    actions: Vec<f64>,
    outputs: Outputs,
}

impl Chunk {
    fn new(world: &Arc<World>, seeds: std::ops::Range<usize>) -> Result<Chunk, Problem> {
        let sizes = world.sizes();
        let count = seeds.len();
        let episodes = seeds.map(|seed| Episode::new(world, seed as u64));
        Ok(Chunk {
            world: world.clone(),
            episodes: episodes.collect::<Result<_, _>>()?,
            actions: vec![0.0; count * sizes.ports * sizes.action],
            outputs: Outputs::sized(count, sizes),
        })
    }

    fn step(&mut self) {
        step_all(
            &self.world,
            &mut self.episodes,
            &self.actions,
            &mut self.outputs.slices(),
        );
    }
}

/// Steps each episode with the actions of its ports.
fn step_all(world: &World, episodes: &mut [Episode], actions: &[f64], outputs: &mut Slices<'_>) {
    let sizes = world.sizes();
    let ports = sizes.ports;
    for (index, episode) in episodes.iter_mut().enumerate() {
        let agents = index * ports..(index + 1) * ports;
        let numbers = |each: usize| agents.start * each..agents.end * each;
        let mut own = Slices {
            observations: &mut outputs.observations[numbers(sizes.observation)],
            final_observations: &mut outputs.final_observations[numbers(sizes.observation)],
            rewards: &mut outputs.rewards[numbers(1)],
            parts: &mut outputs.parts[numbers(PARTS.len())],
            truncated: &mut outputs.truncated[index..=index],
        };
        episode.step(world, &actions[numbers(sizes.action)], &mut own);
    }
}

/// A chunk on its way between the calling thread and the one that steps it.
#[derive(Debug, Default)]
struct Slot {
    to_do: Mutex<Option<Box<Chunk>>>,
    done: Mutex<Option<Box<Chunk>>>,
}

type Chunks<'a> = MutexGuard<'a, Option<Box<Chunk>>>;

fn lock(place: &Mutex<Option<Box<Chunk>>>) -> Chunks<'_> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What all threads share.
#[derive(Debug)]
struct Work {
    slots: Vec<Slot>,
    /// The steps that have begun.
    begun: Signal,
    /// The chunks of a step that are done, or whose thread has failed.
    done: Signal,
    stop: AtomicBool,
}

impl Work {
    /// Steps chunks until none is left: from `first` on, and from the end on to the beginning.
    fn do_from(&self, first: usize) {
        let (before, own) = self.slots.split_at(first);
        for slot in own.iter().chain(before.iter().rev()) {
            let Some(mut chunk) = lock(&slot.to_do).take() else {
                continue;
            };
            let _counted = Counted(&self.done);
            chunk.step();
            *lock(&slot.done) = Some(chunk);
        }
    }

    /// The life of a thread whose share begins at `first`.
    fn attend(&self, first: usize) {
        let mut steps = 0;
        loop {
            steps = self.begun.wait(|begun| begun != steps);
            if self.stop.load(Ordering::SeqCst) {
                return;
            }
            self.do_from(first);
        }
    }
}

/// Counts a chunk when its thread is through with it, even if it fails.
struct Counted<'a>(&'a Signal);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.add_one();
    }
}

/// The episodes of an environment, in chunks.
#[derive(Debug)]
pub(super) struct Workers {
    /// In the order of the episodes. A chunk is missing only after its thread has failed.
    chunks: Vec<Option<Box<Chunk>>>,
    work: Arc<Work>,
    threads: Vec<JoinHandle<()>>,
}

/// How many chunks a thread's share has: what a thread leaves, others can do.
const SHARE: usize = 4;

impl Workers {
    pub(super) fn new(world: &Arc<World>, count: usize) -> Result<Workers, Problem> {
        let wanted = world.options.threads.clamp(1, count);
        let pieces = match wanted {
            1 => 1,
            threads => (SHARE * threads).min(count),
        };
        let bound = |piece: usize| count * piece / pieces;
        let chunks = (0..pieces).map(|piece| {
            let made = Chunk::new(world, bound(piece)..bound(piece + 1))?;
            Ok(Some(Box::new(made)))
        });
        let chunks = chunks.collect::<Result<_, Problem>>()?;
        let work = Arc::new(Work {
            slots: (0..pieces).map(|_| Slot::default()).collect(),
            begun: Signal::default(),
            done: Signal::default(),
            stop: AtomicBool::new(false),
        });
        // Where the operating system gives no more threads, the others do their work.
        let start = |thread: usize| {
            let work = work.clone();
            let attend = move || work.attend(pieces * thread / wanted);
            thread::Builder::new().spawn(attend).ok()
        };
        let threads = (1..wanted).map_while(start).collect();
        Ok(Workers {
            chunks,
            work,
            threads,
        })
    }

    /// All episodes in order.
    pub(super) fn episodes(&self) -> impl Iterator<Item = &Episode> {
        self.chunks
            .iter()
            .flatten()
            .flat_map(|chunk| &chunk.episodes)
    }

    /// All episodes in order, to reset them.
    pub(super) fn episodes_mut(&mut self) -> impl Iterator<Item = &mut Episode> {
        let chunks = self.chunks.iter_mut().flatten();
        chunks.flat_map(|chunk| &mut chunk.episodes)
    }

    /// Steps every episode with its action.
    pub(super) fn step(
        &mut self,
        actions: &[f64],
        outputs: &mut Slices<'_>,
    ) -> Result<(), EnvironmentError> {
        if self.chunks.iter().any(Option::is_none) {
            return Err(EnvironmentError::Thread);
        }
        let mut rest = actions;
        for chunk in self.chunks.iter_mut().flatten() {
            let (own, others) = rest.split_at(chunk.actions.len());
            chunk.actions.copy_from_slice(own);
            rest = others;
        }
        if let ([Some(chunk)], true) = (&mut self.chunks[..], self.threads.is_empty()) {
            chunk.step();
        } else {
            self.step_together();
        }
        let mut first = 0;
        for chunk in &self.chunks {
            let chunk = chunk.as_ref().ok_or(EnvironmentError::Thread)?;
            first += chunk.copy_outputs(first, outputs);
        }
        Ok(())
    }

    /// Steps all chunks on all threads.
    fn step_together(&mut self) {
        let work = &*self.work;
        work.done.set(0);
        for (chunk, slot) in self.chunks.iter_mut().zip(&work.slots) {
            *lock(&slot.to_do) = chunk.take();
        }
        work.begun.add_one();
        work.do_from(0);
        work.done.wait(|done| done == work.slots.len());
        for (chunk, slot) in self.chunks.iter_mut().zip(&work.slots) {
            *chunk = lock(&slot.done).take();
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.work.stop.store(true, Ordering::SeqCst);
        self.work.begun.add_one();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Chunk {
    /// Copies its outputs to those of all, where its episodes begin at `first`; returns their
    /// number.
    fn copy_outputs(&self, first: usize, all: &mut Slices<'_>) -> usize {
        fn copy<T: Copy>(own: &[T], all: &mut [T], first: usize, count: usize) {
            let size = own.len() / count;
            all[first * size..(first + count) * size].copy_from_slice(own);
        }
        let (own, count) = (&self.outputs, self.episodes.len());
        copy(&own.observations, all.observations, first, count);
        copy(
            &own.final_observations,
            all.final_observations,
            first,
            count,
        );
        copy(&own.rewards, all.rewards, first, count);
        copy(&own.parts, all.parts, first, count);
        copy(&own.truncated, all.truncated, first, count);
        count
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ActionKind, Environment, Options};
    use super::*;
    use crate::plan::{Source, TraceFiles};

    fn environment(count: usize, threads: usize) -> Environment {
        let text = "duration = \"1 s\"\nschemes = [\"dial\"]\n[flows.bulk]\ncount = 2";
        let source = Source::new("small.toml", text, TraceFiles::default()).unwrap();
        let options = Options {
            threads,
            ..Options::new(ActionKind::Probability)
        };
        Environment::new(&source.plan().unwrap(), count, options).unwrap()
    }

    /// Nobody steps an environment for a while: its threads sleep, and wake for the next step.
    #[test]
    fn threads_of_an_idle_environment_sleep_and_wake() {
        let (mut idle, mut alone) = (environment(7, 3), environment(7, 1));
        let mut outputs = [Outputs::of(&idle), Outputs::of(&alone)];
        for _ in 0..3 {
            idle.workers.work.begun.wait_for_sleepers(2);
            for _ in 0..20 {
                idle.step(&[0.01; 7], &mut outputs[0].slices()).unwrap();
                alone.step(&[0.01; 7], &mut outputs[1].slices()).unwrap();
                assert_eq!(outputs[0].observations, outputs[1].observations);
            }
        }
    }

    /// A chunk whose thread fails is missing ever after, and says so.
    #[test]
    fn a_chunk_that_is_lost_is_an_error() {
        let mut environment = environment(4, 2);
        let mut outputs = Outputs::of(&environment);
        // It has no room for what its first episode writes.
        let chunk = environment.workers.chunks[1].as_mut().unwrap();
        chunk.outputs = Outputs::default();
        let step =
            std::panic::AssertUnwindSafe(|| environment.step(&[0.01; 4], &mut outputs.slices()));
        // Whichever thread steps it: the caller's own panic goes on, that of another is an error.
        if let Ok(stepped) = std::panic::catch_unwind(step) {
            assert_eq!(stepped, Err(EnvironmentError::Thread));
        }
        let again = environment.step(&[0.01; 4], &mut outputs.slices());
        assert_eq!(again, Err(EnvironmentError::Thread));
    }
}
