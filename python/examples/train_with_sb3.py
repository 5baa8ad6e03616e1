"""Trains PPO of stable-baselines3 to set RED's curve, and compares it with the curve it began from.

pip install stable-baselines3
python examples/train_with_sb3.py [--steps 100000] [--envs 8]
"""

import argparse

from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

import earlydrop.gym  # noqa: F401  (It registers the environments.)

NAME = "earlydrop/AQM-Reno10-v0"
OPTIONS = {"action": "max_p", "scale": "unit", "duration": "5 s", "reward": {"loss": 10.0}}


class Still:
    """Leaves max_p at RED's default of 0.1, which is 0.5 on the unit scale."""

    def predict(self, observation, *_, **__):
        """An action for each environment, in the form of stable-baselines3."""
        return [[0.5]] * len(observation), None


def main() -> None:
    """Trains and compares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--envs", type=int, default=8)
    arguments = parser.parse_args()
    env = make_vec_env(NAME, n_envs=arguments.envs, seed=1, env_kwargs=OPTIONS)
    model = PPO("MlpPolicy", env, n_steps=64, seed=1, device="cpu")
    model.learn(arguments.steps)
    unseen = make_vec_env(NAME, n_envs=arguments.envs, seed=1000, env_kwargs=OPTIONS)
    for name, policy in [("max_p = 0.1", Still()), ("PPO", model)]:
        mean, spread = evaluate_policy(policy, unseen, n_eval_episodes=2 * arguments.envs)
        print(f"{name}: mean reward of an episode {mean:.1f}, standard deviation {spread:.1f}")


if __name__ == "__main__":
    main()
