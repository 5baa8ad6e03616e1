use super::*;
use crate::plan::{Cell, Source, TraceFiles};

fn plan(text: &str) -> Plan {
    let source = Source::new("test.toml", text, TraceFiles::default()).unwrap();
    source.plan().unwrap()
}

/// Five transfers over 5 Mbps for 3 s.
fn scenario(scheme: &str, more: &str) -> Plan {
    let text = format!(
        "duration = \"3 s\"\nseeds = [7, 8, 9]\nschemes = [\"{scheme}\"]\n{more}\n\
         [network]\nrate = \"5 Mbps\"\nrtt = \"40 ms\"\nbuffer = \"60 packets\"\n\
         [flows.bulk]\ncount = 5\n"
    );
    plan(&text)
}

fn options(action: ActionKind) -> Options {
    Options {
        outcomes: true,
        ..Options::new(action)
    }
}

/// Steps until the first episodes end, with actions from `act(step)`.
fn episode(environment: &mut Environment, mut act: impl FnMut(usize) -> Vec<f64>) -> Vec<Outputs> {
    let mut outputs = Outputs::of(environment);
    let mut all = Vec::new();
    while !outputs.truncated[0] {
        let actions = act(all.len());
        environment.step(&actions, &mut outputs.slices()).unwrap();
        all.push(outputs.clone());
    }
    all
}

#[test]
fn an_agent_that_answers_what_red_would_gets_the_run_of_red() {
    for (scheme, action) in [
        ("red:min=5,max=20,max_p=0.05", ActionKind::Curve),
        ("red:min=5,max=20,max_p=0.05", ActionKind::MaxP),
        ("ared:min=5,max=20", ActionKind::Thresholds),
        ("red:unit=bytes,min=7000 bytes,max=21 kB", ActionKind::Curve),
        ("dial:probability=0.013", ActionKind::Probability),
    ] {
        let plan = scenario(scheme, "");
        let mut environment = Environment::new(&plan, 3, options(action)).unwrap();
        let mut observed = vec![0.0; 3 * environment.observation_size()];
        environment
            .reset(Some(&plan.seeds), None, &mut observed)
            .unwrap();
        let configured = environment.configured();
        let steps = episode(&mut environment, |_| configured.clone());
        assert_eq!(steps.len(), 300);
        for seed in 0..3 {
            let cell = Cell {
                seed,
                point: 0,
                scheme: 0,
            };
            let prepared = plan.prepare(cell, false).unwrap();
            let results = prepared.start().unwrap().finish();
            let wanted = Outcome::of(&results, &prepared);
            let outcome = environment.outcome(seed).unwrap();
            assert!(
                wanted.value("loss").is_some_and(|loss| loss > 0.0),
                "{scheme}"
            );
            assert_eq!(format!("{wanted:?}"), format!("{outcome:?}"), "{scheme}");
        }
    }
}

/// Two hosts at each of two leaf switches with two spines: twelve ports.
fn fabric() -> Plan {
    plan(
        "duration = \"5 ms\"\nwarm_up = \"0 s\"\nseeds = [5, 6]\nschemes = [\"red:as=hpcc\"]\n\
         [network]\nshape = \"leaf-spine\"\nhosts = 2\nleaves = 2\nspines = 2\n\
         rate = \"10 Gbps\"\nuplink = \"20 Gbps\"\nbuffer = \"500 packets\"\n\
         [tcp]\ncontrol = \"dctcp\"\n\
         [flows.search]\nkind = \"arrivals\"\nsizes = \"websearch\"\nload = 0.9\n",
    )
}

#[test]
fn each_port_of_a_fabric_has_an_agent() {
    let plan = fabric();
    let options = Options {
        step: Nanos::from_micros(50),
        ..options(ActionKind::Curve)
    };
    let play = |change: bool, threads: usize| {
        let options = Options { threads, ..options };
        let mut environment = Environment::new(&plan, 2, options).unwrap();
        let (ports, size) = (environment.ports().len(), environment.observation_size());
        let mut observed = vec![0.0; 2 * ports * size];
        environment
            .reset(Some(&plan.seeds), None, &mut observed)
            .unwrap();
        let mut actions = environment.configured();
        if change {
            // The second port of the second simulation marks everything from a packet on.
            let second = (ports + 1) * 3;
            actions[second..second + 3].copy_from_slice(&[0.0, 1.0, 1.0]);
        }
        let steps = episode(&mut environment, |_| actions.clone());
        (environment, steps)
    };
    let (environment, steps) = play(false, 1);
    let names = environment.ports();
    assert_eq!((names.len(), steps.len()), (12, 100), "{names:?}");
    for seed in 0..2 {
        let cell = Cell {
            seed,
            point: 0,
            scheme: 0,
        };
        let mut prepared = plan.prepare(cell, false).unwrap();
        // Nobody steers a port after the end of the run.
        prepared.run.measure.drain = Nanos::ZERO;
        let results = prepared.start().unwrap().finish();
        let wanted = Outcome::of(&results, &prepared);
        let outcome = environment.outcome(seed).unwrap();
        assert_eq!(format!("{wanted:?}"), format!("{outcome:?}"));
    }
    let (_, changed) = play(true, 2);
    let size = environment.observation_size();
    let marks = |steps: &[Outputs], agent: usize| -> f32 {
        let rate = |step: &Outputs| step.observations[agent * size + 5];
        steps.iter().map(rate).sum()
    };
    assert!(
        marks(&changed, 13) > 2.0 * marks(&steps, 13),
        "its own marks"
    );
    for agent in 0..12 {
        let rewards = |steps: &[Outputs]| -> Vec<f64> {
            steps.iter().map(|step| step.rewards[agent]).collect()
        };
        assert_eq!(rewards(&steps), rewards(&changed), "another simulation");
    }
}

#[test]
fn neither_threads_nor_neighbours_change_an_episode() {
    let plan = scenario("dial", "");
    let act = |environment: usize, step: usize| 0.001 * ((environment * 7 + step) % 90) as f64;
    let run = |count: usize, threads: usize| {
        let options = Options {
            threads,
            ..Options::new(ActionKind::Probability)
        };
        let mut environment = Environment::new(&plan, count, options).unwrap();
        let steps = episode(&mut environment, |step| {
            (0..count).map(|index| act(index, step)).collect()
        });
        let size = environment.observation_size();
        let of_third = |outputs: &Outputs| outputs.observations[2 * size..3 * size].to_vec();
        let rewards: Vec<f64> = steps.iter().map(|outputs| outputs.rewards[2]).collect();
        (steps.iter().map(of_third).collect::<Vec<_>>(), rewards)
    };
    let alone = run(3, 1);
    assert_eq!(alone, run(3, 2));
    assert_eq!(alone, run(11, 4));
    assert_eq!(alone, run(5, 99));
}

#[test]
fn a_seed_decides_about_its_episode_and_those_after_it() {
    let plan = scenario("dial", "");
    let options = Options::new(ActionKind::Probability);
    let mut environment = Environment::new(&plan, 2, options).unwrap();
    let mut observed = vec![0.0; 2 * environment.observation_size()];
    let mut play = |seeds: [u64; 2]| {
        environment
            .reset(Some(&seeds), None, &mut observed)
            .unwrap();
        let first = episode(&mut environment, |_| vec![0.01; 2]);
        let begins = Outputs::of(&environment);
        let mut outputs = begins.clone();
        environment.step(&[0.5; 2], &mut outputs.slices()).unwrap();
        assert_eq!(outputs.truncated, [false; 2], "NEXT_STEP begins the next");
        assert_eq!(outputs.rewards, [0.0; 2]);
        let next = environment.seeds();
        let second = episode(&mut environment, |_| vec![0.01; 2]);
        (first, next, second)
    };
    let rewards = |steps: &[Outputs]| -> Vec<Vec<f64>> {
        steps.iter().map(|step| step.rewards.clone()).collect()
    };
    let (one, after_one, then) = play([3, 4]);
    let (again, after_again, then_again) = play([3, 4]);
    assert_eq!(rewards(&one), rewards(&again));
    assert_eq!(
        (after_one.clone(), rewards(&then)),
        (after_again, rewards(&then_again))
    );
    let (swapped, after_swapped, _) = play([4, 3]);
    assert_eq!(after_swapped, [after_one[1], after_one[0]]);
    let turned: Vec<Vec<f64>> = rewards(&swapped).iter().map(|r| vec![r[1], r[0]]).collect();
    assert_eq!(turned, rewards(&one));
    assert!(
        rewards(&one) != rewards(&then),
        "another seed, another episode"
    );
}

#[test]
fn a_mask_resets_some_and_leaves_the_others() {
    let plan = scenario("dial", "");
    let options = Options {
        autoreset: Autoreset::Disabled,
        ..Options::new(ActionKind::Probability)
    };
    let mut environment = Environment::new(&plan, 2, options).unwrap();
    let mut outputs = Outputs::of(&environment);
    episode(&mut environment, |_| vec![0.02; 2]);
    let ended = environment.step(&[0.0; 2], &mut outputs.slices());
    assert_eq!(ended, Err(EnvironmentError::Ended { index: 0 }));
    let size = environment.observation_size();
    let mut observed = vec![9.0; 2 * size];
    environment
        .reset(None, Some(&[true, false]), &mut observed)
        .unwrap();
    assert_eq!(observed[..size], vec![0.0; size]);
    assert_eq!(observed[size..], vec![9.0; size]);
    let ended = environment.step(&[0.0; 2], &mut outputs.slices());
    assert_eq!(ended, Err(EnvironmentError::Ended { index: 1 }));
}

#[test]
fn a_step_that_ends_an_episode_can_begin_the_next() {
    let plan = scenario("dial", "");
    let options = Options {
        autoreset: Autoreset::SameStep,
        ..Options::new(ActionKind::Probability)
    };
    let mut environment = Environment::new(&plan, 1, options).unwrap();
    let last = episode(&mut environment, |_| vec![0.02]).pop().unwrap();
    let size = environment.observation_size();
    assert!(last.final_observations[2] > 0.5, "the link was sending");
    assert_eq!(last.observations, vec![0.0; size]);
    assert_eq!(episode(&mut environment, |_| vec![0.02]).len(), 300);
}

#[test]
fn each_point_of_a_sweep_is_played() {
    let more = "[sweep]\n\"flows.bulk.count\" = [1, 4, 9]\n";
    let text = format!("duration = \"1 s\"\nschemes = [\"red\"]\n[flows.bulk]\ncount = 5\n{more}");
    let plan = plan(&text);
    let mut environment = Environment::new(&plan, 60, Options::new(ActionKind::MaxP)).unwrap();
    let points = environment.points();
    for point in 0..3 {
        let share = points.iter().filter(|known| **known == point).count();
        assert!(share > 8, "{share} of 60");
    }
    let mut observed = vec![0.0; 60 * environment.observation_size()];
    let seeds: Vec<u64> = (0..60).rev().collect();
    environment
        .reset(Some(&seeds), None, &mut observed)
        .unwrap();
    let turned: Vec<usize> = environment.points().into_iter().rev().collect();
    assert_eq!(turned, points, "the seed decides");
}

#[test]
fn any_action_gives_observations_within_bounds() {
    for (scheme, action) in [
        ("dial:ecn=on", ActionKind::Probability),
        ("red:min=5,max=15", ActionKind::Curve),
    ] {
        let plan = scenario(scheme, "tcp = { ecn = \"on\" }");
        for scale in [ActionScale::Natural, ActionScale::Unit] {
            let options = Options {
                scale,
                ..Options::new(action)
            };
            let mut environment = Environment::new(&plan, 4, options).unwrap();
            let mut random = earlydrop::random::Pcg32::new(1, 1);
            let size = environment.action_size();
            let steps = episode(&mut environment, |_| {
                let wild = |_| 200.0 * (random.uniform() - 0.5);
                (0..4 * size).map(wild).collect()
            });
            let bounds = environment.observation_bounds();
            assert_eq!(bounds.len(), environment.observation_names().len());
            assert_eq!(environment.action_bounds().len(), size);
            let mut seen = vec![0.0_f32; bounds.len()];
            for observed in steps
                .iter()
                .flat_map(|s| s.observations.chunks(bounds.len()))
            {
                for ((value, (low, high)), seen) in observed.iter().zip(&bounds).zip(&mut seen) {
                    assert!((*low as f32..=*high as f32).contains(value), "{observed:?}");
                    *seen = seen.max(*value);
                }
            }
            assert!(seen[..4].iter().all(|most| *most > 0.0), "{seen:?}");
        }
    }
}

#[test]
fn the_reward_is_the_weighted_sum_of_its_parts() {
    let plan = scenario("dial", "");
    let reward = RewardWeights {
        throughput: 2.0,
        delay: 0.5,
        loss: 30.0,
    };
    let options = Options {
        reward,
        ..Options::new(ActionKind::Probability)
    };
    let mut environment = Environment::new(&plan, 1, options).unwrap();
    let steps = episode(&mut environment, |_| vec![0.03]);
    for step in &steps {
        let [throughput, delay, loss] = step.parts[..] else {
            panic!("three parts");
        };
        assert_eq!(step.rewards, [2.0 * throughput - 0.5 * delay - 30.0 * loss]);
    }
    let most = |part: usize| steps.iter().map(|s| s.parts[part]).fold(0.0, f64::max);
    assert!(most(0) > 0.9 && most(1) > 0.1 && most(2) > 0.01);
}

#[test]
fn what_cannot_be_an_environment_is_refused_with_what_can() {
    let refused = |plan: &Plan, action| {
        let environment = Environment::new(plan, 1, Options::new(action));
        let problem = environment.err().unwrap();
        format!("{}; {}", problem.message, problem.help)
    };
    for (scheme, action, wanted) in [
        (
            "codel",
            ActionKind::MaxP,
            "`codel` cannot be steered by max_p",
        ),
        ("red", ActionKind::Probability, "allowed: the scheme dial"),
        ("dial", ActionKind::Thresholds, "RED family"),
        ("fq-red", ActionKind::Curve, "a single queue"),
        (
            "red:curve=numbers",
            ActionKind::Curve,
            "not given as numbers",
        ),
    ] {
        let problem = refused(&scenario(scheme, ""), action);
        assert!(problem.contains(wanted), "{problem}");
    }
    let lots = plan(
        "schemes = [\"red\"]\n[network]\nshape = \"parking-lot\"\n[flows.a]\ncount = 2\n\
         [sweep]\n\"network.bottlenecks\" = [2, 3]\n",
    );
    let problem = refused(&lots, ActionKind::MaxP);
    assert!(problem.contains("at 2 ports, and at 3"), "{problem}");
    let none = Environment::new(&scenario("red", ""), 0, Options::new(ActionKind::MaxP));
    assert!(none.is_err());
}

#[test]
fn wrong_numbers_are_refused_and_change_nothing() {
    let plan = scenario("dial", "");
    let options = Options::new(ActionKind::Probability);
    let mut environment = Environment::new(&plan, 2, options).unwrap();
    let mut outputs = Outputs::of(&environment);
    let error = environment.step(&[0.1, f64::NAN], &mut outputs.slices());
    let message = error.unwrap_err().to_string();
    assert!(
        message.contains("environment 1") && message.contains("0 to 1"),
        "{message}"
    );
    let error = environment.step(&[0.1], &mut outputs.slices());
    assert_eq!(error.unwrap_err().to_string(), "1 actions; allowed: 2");
    assert!(environment.reset(Some(&[1]), None, &mut []).is_err());
    assert_eq!(environment.seeds(), [0, 1]);
}
