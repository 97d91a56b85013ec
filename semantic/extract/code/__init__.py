"""Program text: files, what they define, import and call, read by grammars and without running anything."""
