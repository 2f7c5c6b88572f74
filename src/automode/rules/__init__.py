"""What the person wrote: permission patterns, and the layers that apply them."""
