"""What results are compared with: equations and numbers that do not come from the library."""
