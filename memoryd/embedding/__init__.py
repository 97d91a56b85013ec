"""Text to vectors: the catalogue of models, one ONNX embedder, the cache."""
