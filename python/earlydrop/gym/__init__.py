"""Environments for learning: agents that steer a queue of the simulator.

Importing this package registers environments with Gymnasium; with its name in front, as in
`gymnasium.make("earlydrop.gym:earlydrop/AQM-Reno10-v0")`, Gymnasium imports it. A name stands for
its traffic, which `env.traffic` states, and keywords change that:

| name | what shares the link |
|---|---|
| `earlydrop/AQM-Reno10-v0` | ten Reno flows over 10 Mbps with 50 ms, for 10 s |
| `earlydrop/AQM-Mixed-v0` | the same with ten CUBIC flows, web transfers and four voice calls |
| `earlydrop/AQM-v0` | another name for the mixed one |
| `earlydrop/AQM-Fabric-v0` | DCTCP flows between the eight hosts of a leaf-spine, for 10 ms |

Web transfers begin every 500 ms on average and have 60 kB on average. Buffers have 1000 packets,
1.2 s at 10 Mbps, and the fabric's 500 at each port; `buffer="100 ms"` sets another. In the fabric,
flows with the sizes of a web search's begin at a rate that is 60% of the hosts' 10 Gbps. It is
empty at first, and its long flows outlast it: its links carry about half of that.

>>> import gymnasium
>>> import earlydrop.gym
>>> envs = gymnasium.make_vec("earlydrop/AQM-Reno10-v0", num_envs=64, link="20 Mbps")
>>> envs.unwrapped.traffic
'10 Reno flows over 20 Mbps, 50 ms'
>>> observations, infos = envs.reset(seed=1)
>>> observations.shape
(64, 8)
>>> observations, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())

**A fabric has an agent at each port.** Where the scheme stands at several links, `env.ports` names
them, and observations and actions have a row for each: what a policy does with the rows of many
environments, it does with those of many ports. The reward is the mean of the ports';
`info["rewards"]` has each. `info["outcome"]` has the metrics of all flows, and those of a link for
the first port.

>>> env = gymnasium.make("earlydrop/AQM-Fabric-v0", action="kmin-kmax-pmax", scale="unit")
>>> len(env.unwrapped.ports), env.unwrapped.ports[0]
(16, 'leaf 0 to host 0')
>>> env.observation_space.shape, env.action_space.shape
((16, 10), (16, 3))

`gymnasium.make` makes a single one. Other keyword arguments are those of `AQMVectorEnv`.

**The environment is the simulator.** An episode is a run of a scenario with a seed; an agent that
always sets what the scheme was configured with (`env.configured`) gets that scheme's run, bit for
bit. Any scenario whose first scheme is `dial` or a scheme of the RED family is an environment; at
the points of its sweep, each episode is at one of them, drawn by its seed.

**Observations**, in steps of 10 ms (in the fabric of 50 us) unless `step` says otherwise:

| name | what it is | from | to |
|---|---|---|---|
| `delay` | mean wait of the packets that left in the step, in base round-trip times | 0 | 10 |
| `queue` | packets waiting, as a share of the buffer | 0 | 1 |
| `utilisation` | share of the step in which the link was sending | 0 | 1 |
| `arrivals` | bytes that arrived, over those that the link can send in the step | 0 | 10 |
| `drop_rate` | packets dropped, over those that arrived | 0 | 1 |
| `mark_rate` | packets marked, over those that arrived | 0 | 1 |
| `average` | RED's average queue as a share of the buffer; of `dial`, a mean over steps | 0 | 1 |
| the action | as set: probabilities, and thresholds as shares of the buffer | 0 | 1 |

**Actions** by `action`:

| `action` | numbers | scheme |
|---|---|---|
| `"probability"` | the probability of a drop or mark | `dial` |
| `"max_p"` | RED's max_p | RED family |
| `"thresholds"` | min and max, in packets | RED family |
| `"kmin-kmax-pmax"` | Kmin and Kmax in packets, and Pmax | RED family |

With `scale="natural"`, probabilities are numbers from 0 to 1, and thresholds are packets up to the
buffer. With `scale="unit"`, all are numbers from -1 to 1, as many algorithms want them: a
probability is `10**(2 * a - 2)`, from 0.0001 to 1, and 0 at -1; a threshold goes from 0 to the
buffer. An upper threshold that is not above the lower one is a packet above it. What lies outside
is moved to the bound.

**Rewards** are `throughput * utilisation - delay * delay - loss * drop_rate`, with the weights in
`reward`, each 1 unless it is given.
"""

from __future__ import annotations

from ..table import _needs

try:
    import gymnasium
except ImportError as error:
    raise _needs("gymnasium", "earlydrop.gym") from error

from .environment import AQMEnv
from .vector import AQMVectorEnv

__all__ = ["AQMEnv", "AQMVectorEnv"]

#: The names of environments, each with its traffic.
_IDS = {
    "earlydrop/AQM-v0": "mixed",
    "earlydrop/AQM-Mixed-v0": "mixed",
    "earlydrop/AQM-Reno10-v0": "reno10",
    "earlydrop/AQM-Fabric-v0": "fabric",
}

for _id, _traffic in _IDS.items():
    if _id not in gymnasium.registry:
        gymnasium.register(
            id=_id,
            entry_point="earlydrop.gym:AQMEnv",
            vector_entry_point="earlydrop.gym:AQMVectorEnv",
            kwargs={} if _id == "earlydrop/AQM-v0" else {"traffic": _traffic},
        )
