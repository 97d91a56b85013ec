"""What notes and program text say, each thing with the lines it stands on. A model is asked in ``model`` alone."""
