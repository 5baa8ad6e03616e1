//! Episodes on threads: each thread has a chunk of them, and gets it for each step.
//!
//! A chunk is moved to its thread and back, with room for what a step reads and writes, so a step
//! allocates nothing and shares nothing. The calling thread has a chunk, too.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use super::episode::{Episode, World};
use super::{EnvironmentError, OBSERVATIONS, Outputs, PARTS, Slices};
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
        let action = world.options.action.names().len();
        let count = seeds.len();
        let episodes = seeds.map(|seed| Episode::new(world, seed as u64));
        Ok(Chunk {
            world: world.clone(),
            episodes: episodes.collect::<Result<_, _>>()?,
            actions: vec![0.0; count * action],
            outputs: Outputs::sized(count, OBSERVATIONS.len() + action),
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

/// Steps each episode with its action.
fn step_all(world: &World, episodes: &mut [Episode], actions: &[f64], outputs: &mut Slices<'_>) {
    let action = world.options.action.names().len();
    let size = OBSERVATIONS.len() + action;
    for (index, episode) in episodes.iter_mut().enumerate() {
        let observed = index * size..(index + 1) * size;
        let parts = index * PARTS.len()..(index + 1) * PARTS.len();
        let mut own = Slices {
            observations: &mut outputs.observations[observed.clone()],
            final_observations: &mut outputs.final_observations[observed],
            rewards: &mut outputs.rewards[index..=index],
            parts: &mut outputs.parts[parts],
            truncated: &mut outputs.truncated[index..=index],
        };
        episode.step(
            world,
            &actions[index * action..(index + 1) * action],
            &mut own,
        );
    }
}

/// A thread that steps the chunks it is sent.
#[derive(Debug)]
struct Worker {
    to: Option<SyncSender<Box<Chunk>>>,
    from: Receiver<Box<Chunk>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// `None` where the operating system gives no thread.
    fn start() -> Option<Worker> {
        let (to, chunks) = sync_channel::<Box<Chunk>>(1);
        let (done, from) = sync_channel(1);
        let work = move || {
            while let Ok(mut chunk) = chunks.recv() {
                chunk.step();
                if done.send(chunk).is_err() {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().spawn(work).ok()?;
        Some(Worker {
            to: Some(to),
            from,
            thread: Some(thread),
        })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.to = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The episodes of an environment, in chunks.
#[derive(Debug)]
pub(super) struct Workers {
    /// The calling thread's chunk is the first. A chunk is missing only after its thread has
    /// failed.
    chunks: Vec<Option<Box<Chunk>>>,
    workers: Vec<Worker>,
}

impl Workers {
    pub(super) fn new(world: &Arc<World>, count: usize) -> Result<Workers, Problem> {
        let wanted = world.options.threads.clamp(1, count);
        let workers: Vec<Worker> = (1..wanted).map_while(|_| Worker::start()).collect();
        let threads = workers.len() + 1;
        let bound = |chunk: usize| count * chunk / threads;
        let chunks = (0..threads).map(|chunk| {
            let made = Chunk::new(world, bound(chunk)..bound(chunk + 1))?;
            Ok(Some(Box::new(made)))
        });
        Ok(Workers {
            chunks: chunks.collect::<Result<_, Problem>>()?,
            workers,
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
        let mut rest = actions;
        for (index, place) in self.chunks.iter_mut().enumerate() {
            let mut chunk = place.take().ok_or(EnvironmentError::Thread)?;
            let (own, others) = rest.split_at(chunk.actions.len());
            chunk.actions.copy_from_slice(own);
            rest = others;
            let worker = index.checked_sub(1).map(|index| &self.workers[index]);
            match worker.and_then(|worker| worker.to.as_ref()) {
                None => *place = Some(chunk),
                Some(to) => to.send(chunk).map_err(|_| EnvironmentError::Thread)?,
            }
        }
        if let Some(Some(chunk)) = self.chunks.first_mut() {
            chunk.step();
        }
        for (place, worker) in self.chunks[1..].iter_mut().zip(&self.workers) {
            *place = Some(worker.from.recv().map_err(|_| EnvironmentError::Thread)?);
        }
        let mut first = 0;
        for chunk in self.chunks.iter().flatten() {
            first += chunk.copy_outputs(first, outputs);
        }
        Ok(())
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
