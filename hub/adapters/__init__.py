"""Views of hub environments for training stacks that need one; each module is imported on use.

Stacks not named here take hub ids and vector environments as they are.
"""

from hub.adapters.cleanrl import list_infos

__all__ = ["list_infos"]
