"""Measurements: columns of files, ROS bags, one axis of times from several clocks, filtering."""
