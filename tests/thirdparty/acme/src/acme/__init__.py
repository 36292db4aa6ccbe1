"""A third party's environments; `acme.plugin` registers them."""
