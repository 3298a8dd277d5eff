"""Files of scenes that need no viewer: films, models of glTF."""
