"""Which project is this? Names, folders and repositories, and one id for all of them."""
