"""What holds for every test."""

import signal

# Python ignores Ctrl-C where its parent does, as a shell's background jobs do.
signal.signal(signal.SIGINT, signal.default_int_handler)
