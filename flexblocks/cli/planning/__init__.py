"""The command `plan`: its arguments, problem files, and the template of one."""
