"""What should be tidied? Plans with their evidence, applied and taken back."""
