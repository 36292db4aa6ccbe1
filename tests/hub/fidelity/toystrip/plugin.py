"""Registers the strip, its reference and its trainer."""

import hub


@hub.hookimpl
def hub_register_envs(register):
    for name, entry, declaration in (
        ("Strip", "toystrip.engine:Strip", "toystrip.fidelity:DECLARATION"),
        ("StripPlain", "toystrip.reference:StripReference", ""),
    ):
        register(
            hub.EnvCard(
                id=f"toystrip/{name}-v0",
                summary="A strip.",
                family="python",
                backend="python",
                entry_point=entry,
                fidelity=declaration,
            )
        )


@hub.hookimpl
def hub_register_trainers(register):
    register("toy", "toystrip.trainer:TRAINER", "dithers")
