"""What a beam is made of: sections, materials, profiles along its length."""
