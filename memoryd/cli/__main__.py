"""``python -m memoryd.cli``: how the daemon starts itself in the background."""

from __future__ import annotations

from memoryd.cli import main

if __name__ == "__main__":
    main()
