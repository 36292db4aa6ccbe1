"""Two short PPOs, one in torch for any vector environment and one in JAX for fused rollouts.

`hub train` and L4 of `hub verify` find them by hook as `ppo` and `ppo-jax` (`trainers.py`, which
imports a framework only to train). The algorithm is in
`ppo_torch.py` and `ppo_jax.py`, each readable from top to bottom; what they share is in
`settings.py` (hyper-parameters), `network.py` (the networks, written once for both and for NumPy),
`spaces.py` and `policy.py` (the file, and acting from it without a framework).
"""
