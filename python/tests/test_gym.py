"""Environments are the simulator, and Gymnasium's."""

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import earlydrop

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

import earlydrop.gym  # noqa: E402

KINDS = ["probability", "max_p", "thresholds", "kmin-kmax-pmax"]
SHORT: dict[str, Any] = {"duration": "1 s", "flows": 4}


def make(num_envs: int, **options: Any) -> Any:
    return gymnasium.make_vec("earlydrop/AQM-v0", num_envs=num_envs, **{**SHORT, **options})


@pytest.mark.parametrize(
    ("action", "scheme"),
    [
        ("kmin-kmax-pmax", "red:min=6,max=21,max_p=0.07"),
        ("max_p", "gred:min=6,max=21,max_p=0.07"),
        ("thresholds", "ared:min=6,max=21"),
        ("probability", "dial:probability=0.011"),
    ],
)
def test_an_agent_that_answers_what_red_would_gets_the_run_of_red(action: str, scheme: str) -> None:
    options: dict[str, Any] = {
        **SHORT,
        "duration": "4 s",
        "schemes": scheme,
        "link": "10 Mbps",
        "rtt": "50 ms",
        # An episode ends with the run: nobody steers what goes on after it.
        "set": {"measure.drain": "0 s"},
    }
    result = earlydrop.compare(**options, seeds=3)
    envs = make(3, action=action, outcomes=True, threads=2, **options)
    _, infos = envs.reset(seed=list(map(int, result.runs["seed"])))
    truncated = np.zeros(3, bool)
    while not truncated.any():
        *_, truncated, infos = envs.step(envs.configured)
    assert infos["_outcome"].all()
    compared = 0
    for name in set(result.runs.columns) & set(infos["outcome"][0]):
        wanted = np.array(result.runs[name], float)
        got = np.array([outcome[name] for outcome in infos["outcome"]], float)
        np.testing.assert_array_equal(got, wanted, err_msg=name)
        compared += 1
    assert compared > 15
    assert all(loss > 0 for loss in result.runs["loss"])


def test_it_passes_gymnasiums_checks() -> None:
    for action in KINDS:
        for scale in ["natural", "unit"]:
            env = gymnasium.make("earlydrop/AQM-v0", action=action, scale=scale, **SHORT)
            check_env(env.unwrapped, skip_render_check=True)


def test_it_passes_the_checks_of_stable_baselines3() -> None:
    checks = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checks.check_env(gymnasium.make("earlydrop/AQM-v0", scale="unit", **SHORT).unwrapped)


def test_stable_baselines3_trains() -> None:
    pytest.importorskip("stable_baselines3")
    example = Path(__file__).parents[1] / "examples" / "train_with_sb3.py"
    command = [sys.executable, str(example), "--steps", "256", "--envs", "2"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "mean reward" in printed


def test_the_example_prints_who_wins() -> None:
    example = Path(__file__).parents[1] / "examples" / "train_policy.py"
    command = [sys.executable, str(example), "--generations", "1"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line for line in printed.splitlines() if line.startswith("| ")]
    names = ["policy", "red", "ared", "pie", "codel", "red tuned", "pie tuned", "codel tuned"]
    assert {row.split("|")[1].split(":")[0].strip() for row in rows} >= set(names)


def test_many_are_as_many_single_ones() -> None:
    envs = make(3, action="max_p", threads=2)
    env = gymnasium.make("earlydrop/AQM-v0", action="max_p", **SHORT)
    envs.reset(seed=5)
    single, info = env.reset(seed=7)
    assert info == {"seed": 7, "point": 0}
    for number in range(100):
        p = 0.01 * (number % 9)
        many, rewards, terminated, truncated, infos = envs.step(np.full((3, 1), p))
        single, reward, _, over, info = env.step(np.array([p]))
        np.testing.assert_array_equal(many[2], single)
        assert rewards[2] == reward
        assert {name: infos[name][2] for name in info} == info
        assert many.dtype == single.dtype == np.float32
        assert not terminated.any()
        assert truncated[2] == over == (number == 99)
    assert many in envs.observation_space
    assert single in env.observation_space


@pytest.mark.parametrize("action", ["probability", "kmin-kmax-pmax"])
def test_each_port_of_a_fabric_has_an_agent(action: str) -> None:
    options: dict[str, Any] = {"action": action, "duration": "2 ms", "reward": {"loss": 10.0}}
    name = "earlydrop/AQM-Fabric-v0"
    envs = gymnasium.make_vec(name, num_envs=2, outcomes=True, **options)
    env = gymnasium.make(name, outcomes=True, **options).unwrapped
    check_env(env, skip_render_check=True)
    ports, numbers = env.observation_space.shape
    assert (ports, len(env.ports)) == (16, 16) and envs.unwrapped.ports == env.ports
    envs.reset(seed=[3, 4])
    env.reset(seed=4)
    random = np.random.default_rng(1)
    over, infos, info = False, {}, {}
    seen = np.zeros((2, numbers))
    while not over:
        actions = env.configured * random.uniform(0.5, 1.5, (2, *env.action_space.shape))
        many, rewards, _, truncated, infos = envs.step(actions)
        single, reward, _, over, info = env.step(actions[1])
        np.testing.assert_array_equal(many[1], single)
        np.testing.assert_array_equal(infos["rewards"][1], info["rewards"])
        assert (reward, over) == (rewards[1], truncated[1])
        assert reward == info["rewards"].mean()
        parts = info["throughput"] - info["delay"] - 10.0 * info["loss"]
        np.testing.assert_allclose(parts, info["rewards"])
        seen = np.maximum(seen, many.max(axis=1))
    assert infos["outcome"][1] == info["outcome"]
    # Arrivals are of the seed: the two simulations saw others.
    assert (seen[:, 3] > 0.5).all() and infos["outcome"][0] != infos["outcome"][1]


def test_a_fabric_is_shown_port_by_port() -> None:
    name, options = "earlydrop/AQM-Fabric-v0", {"duration": "1 ms"}
    shown = gymnasium.make(name, render_mode="ansi", **options).unwrapped
    shown.reset(seed=1)
    for _ in range(20):
        shown.step(shown.configured)
    text = shown.render()
    assert all(f"{port}\ndelay " in text for port in shown.ports)
    pytest.importorskip("matplotlib")
    env = gymnasium.make(name, render_mode="rgb_array", **options).unwrapped
    env.reset(seed=1)
    env.step(env.configured)
    assert env.render().ndim == 3


def test_negative_weights_are_refused() -> None:
    with pytest.raises(earlydrop.ArgumentError, match="0 or more: delay and loss are subtracted"):
        earlydrop.gym.AQMEnv(reward={"delay": -1.0})


def test_actions_have_the_shape_of_their_space() -> None:
    env = gymnasium.make("earlydrop/AQM-Fabric-v0", action="kmin-kmax-pmax").unwrapped
    env.reset(seed=1)
    with pytest.raises(earlydrop.ArgumentError, match=r"shape \(3, 16\); allowed: \(16, 3\)"):
        env.step(env.configured.T)
    one = gymnasium.make("earlydrop/AQM-v0", **SHORT).unwrapped
    one.reset(seed=1)
    one.step(0.01)
    many = make(3)
    many.reset(seed=1)
    many.step(np.full(3, 0.01))
    with pytest.raises(earlydrop.ArgumentError, match=r"allowed: \(3, 1\)"):
        many.step(np.full((1, 3), 0.01))


def test_a_name_with_its_package_needs_no_import() -> None:
    name = "earlydrop.gym:earlydrop/AQM-Fabric-v0"
    code = f"import gymnasium; print(gymnasium.make({name!r}).unwrapped.traffic)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "leaf-spine" in printed.stdout, printed.stderr


def test_seeds_decide_and_none_continues() -> None:
    def play(envs: Any, seed: Any) -> Any:
        _, infos = envs.reset(seed=seed)
        rewards = [envs.step(np.full((2, 1), 0.02))[1] for _ in range(60)]
        return infos["seed"].tolist(), np.array(rewards)

    envs = make(2)
    seeds, first = play(envs, 3)
    assert seeds == [3, 4]
    np.testing.assert_array_equal(play(envs, [4, 3])[1], first[:, ::-1])
    play(envs, 3)
    seeds, later = play(envs, None)
    again = make(2)
    play(again, 3)
    assert play(again, None)[0] == seeds != [3, 4]
    assert (later != first).any()


def test_autoreset_is_gymnasiums() -> None:
    for mode in AutoresetMode:
        envs = make(2, autoreset_mode=mode)
        assert envs.metadata["autoreset_mode"] == mode
        envs.reset(seed=1)
        for _ in range(100):
            observations, _, _, truncated, infos = envs.step(np.full((2, 1), 0.02))
        assert truncated.all()
        if mode == AutoresetMode.SAME_STEP:
            assert (observations == 0).all()
            assert infos["_final_obs"].all()
            assert infos["final_obs"][1] in envs.single_observation_space
            assert infos["final_obs"][1][2] > 0.5
            continue
        assert "final_obs" not in infos
        if mode == AutoresetMode.NEXT_STEP:
            observations, rewards, _, truncated, _ = envs.step(np.full((2, 1), 0.02))
            assert (observations == 0).all()
            assert (rewards == 0).all()
            assert not truncated.any()
            continue
        with pytest.raises(earlydrop.ArgumentError, match="environment 0 has ended"):
            envs.step(np.zeros((2, 1)))
        envs.reset(options={"reset_mask": np.array([True, False])})
        with pytest.raises(earlydrop.ArgumentError, match="environment 1 has ended"):
            envs.step(np.zeros((2, 1)))
        envs.reset(options={"reset_mask": np.array([False, True])})
        envs.step(np.zeros((2, 1)))


def test_arrays_are_the_callers_unless_copy_is_off() -> None:
    for copy in [True, False]:
        envs = make(2, copy=copy)
        envs.reset(seed=1)
        first = envs.step(np.zeros((2, 1)))[:4]
        kept = [array.copy() for array in first]
        for _ in range(40):
            second = envs.step(np.ones((2, 1)))[:4]
        unchanged = all((a == b).all() for a, b in zip(first, kept, strict=True))
        assert unchanged == copy
        assert all((a is b) != copy for a, b in zip(first, second, strict=True))


def test_a_sweep_is_a_set_of_settings() -> None:
    sweep = '\nschemes = ["dial"]\nduration = "1 s"\n[flows.bulk]\n[sweep]\n'
    envs = gymnasium.make_vec(
        "earlydrop/AQM-v0", num_envs=40, scenario=sweep + '"flows.bulk.count" = [1, 5, 9]'
    )
    _, infos = envs.reset(seed=1)
    assert set(infos["point"].tolist()) == {0, 1, 2}


def test_rewards_are_weighted_parts() -> None:
    envs = make(2, reward={"delay": 0.5, "loss": 20})
    envs.reset(seed=1)
    for _ in range(50):
        _, rewards, _, _, infos = envs.step(np.full((2, 1), 0.05))
        parts = infos["throughput"] - 0.5 * infos["delay"] - 20 * infos["loss"]
        np.testing.assert_allclose(rewards, parts, atol=1e-12)


def test_wrong_arguments_name_what_is_allowed() -> None:
    for options, message in [
        ({"action": "propability"}, 'did you mean "probability"'),
        ({"scale": "units"}, 'did you mean "unit"'),
        ({"reward": {"lost": 1}}, "did you mean 'loss'"),
        ({"step": "10 mm"}, "step=10 mm: allowed: .* nearest: 10 ms"),
        ({"step": "10"}, "step=10: allowed: .* nearest: 10 s"),
        ({"traffic": "reno"}, "did you mean 'reno10'"),
        ({"traffic": "reno10", "scenario": {}}, "its own traffic"),
        ({"threads": 0}, "threads=0: allowed: 1 to 65535; nearest: 1"),
        ({"action": "max_p", "schemes": "codel"}, "`codel` cannot be steered by max_p"),
        ({"link": "10 Mbits"}, "link=10 Mbits"),
        ({"step": "0 s"}, "step=0 s: allowed: a time above 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            earlydrop.gym.AQMVectorEnv(2, **options)
    envs = make(2)
    for env in [envs, gymnasium.make("earlydrop/AQM-Reno10-v0").unwrapped]:
        with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
            env.step(np.zeros((2, 1)))
    envs.reset()
    with pytest.raises(earlydrop.ArgumentError, match="environment 1 is not a number"):
        envs.step(np.array([[0.1], [np.nan]]))
    with pytest.raises(earlydrop.ArgumentError, match="reset_mask"):
        envs.reset(options={"reset_mask": [True, False]})
    with pytest.raises(earlydrop.ScenarioError):
        make(0)


def test_earlydrop_alone_does_not_import_gymnasium() -> None:
    code = "import sys, earlydrop; sys.exit('gymnasium' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize(
    ("name", "traffic"),
    [
        ("earlydrop/AQM-v0", "10 CUBIC flows, web transfers and voice calls over 10 Mbps, 50 ms"),
        (
            "earlydrop/AQM-Mixed-v0",
            "10 CUBIC flows, web transfers and voice calls over 10 Mbps, 50 ms",
        ),
        ("earlydrop/AQM-Reno10-v0", "10 Reno flows over 10 Mbps, 50 ms"),
        (
            "earlydrop/AQM-Fabric-v0",
            "Web search by DCTCP over a leaf-spine of 8 hosts, 60% of 10 Gbps",
        ),
    ],
)
def test_a_name_stands_for_its_traffic(name: str, traffic: str) -> None:
    env = gymnasium.make(name).unwrapped
    assert env.traffic == traffic
    assert gymnasium.make_vec(name, num_envs=2).unwrapped.traffic == traffic
    assert f"`{name}`" in (earlydrop.gym.__doc__ or "")


def test_an_environment_shows_its_last_steps() -> None:
    shown = gymnasium.make("earlydrop/AQM-v0", render_mode="ansi", **SHORT).unwrapped
    with pytest.raises(gymnasium.error.ResetNeeded):
        shown.render()
    shown.reset(seed=1)
    for _ in range(30):
        shown.step(np.array([0.01]))
    lines = shown.render().splitlines()
    assert [line.split()[0] for line in lines] == shown.observation_names
    assert "###" in lines[2]
    pytest.importorskip("matplotlib")
    env = gymnasium.make("earlydrop/AQM-v0", render_mode="rgb_array", **SHORT).unwrapped
    check_env(env)
    env.reset(seed=1)
    env.step(np.array([0.01]))
    picture = env.render()
    assert picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3
    assert len(np.unique(picture)) > 10
    with pytest.raises(earlydrop.ArgumentError, match="allowed: None, ansi, rgb_array"):
        earlydrop.gym.AQMEnv(render_mode="human")
