// Nothing can be called here: linking the target is enough. See start.c.
