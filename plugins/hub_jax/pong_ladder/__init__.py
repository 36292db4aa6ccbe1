"""What `hub verify hub:jax/Pong-v0` runs: JAX Pong against C Pong, bit for bit.

Packages of this tree do not import each other, so C Pong is reached as anybody reaches it: by its
id, and into a chosen moment by its snapshots.
"""
