"""gymhub: one Gymnasium registry for fast environments and sandboxed language-model tasks."""

__version__ = "0.1.0"
