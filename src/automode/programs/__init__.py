"""What programs do with their arguments: one module per family, one table row per program.

Knows programs, not policy: it says "this writes a file", never "this is allowed".
"""
