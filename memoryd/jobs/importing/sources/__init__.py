"""The programs whose memory can be taken in, one module each: they read files, and write none."""
