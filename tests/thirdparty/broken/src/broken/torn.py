"""It cannot be imported: what it needs is not there."""

import a_package_that_nobody_has  # noqa: F401 - the error is the point
