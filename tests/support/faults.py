"""The sixteen faults with which published platforms were measured, as bodies of one heuristic.

Each is a statement block that a heuristic runs before it answers; ``{...}`` names are filled in by
the test. The evolution tests put them into a population; here they run in the sandbox alone.
"""

FAULTS = {
    "endless loop": "while True: pass",
    "loop that ignores SIGTERM": (
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass"
    ),
    "allocate 20 GB": "import numpy as np\nx = np.ones(20 * 10**9, dtype='u1')",
    "os._exit": "import os\nos._exit(0)",
    "SystemExit": "raise SystemExit(0)",
    "segmentation fault": "import ctypes\nctypes.string_at(0)",
    "write a file in HOME": "open({home!r} + '/planted', 'w').write('x')",
    "open a socket and send the key": (
        "import os, socket\ns = socket.create_connection(('127.0.0.1', {port}))\n"
        "s.send(os.environ['EURISKO_TEST_API_KEY'].encode())"
    ),
    "read the key from the environment to disk": (
        "import os\nopen({home!r} + '/key', 'w').write(os.environ['EURISKO_TEST_API_KEY'])"
    ),
    "print a fake score": "print('score: -1000000.0')\nprint('tour_length: 0.0001')",
    "walk frames and replace the cost function": (
        "import sys\nf = sys._getframe()\nwhile f is not None:\n"
        "    for k in list(f.f_globals):\n"
        "        if 'cost' in k or 'score' in k: f.f_globals[k] = lambda *a: -1.0\n    f = f.f_back"
    ),
    "put a number in the result channel": "import os\nos.write(4, b'123456')",
    "overwrite the input": "values = values\nvalues.flags.writeable = True\nvalues[:] = 0",
    "leave a child process behind": (
        "import os, time\nif os.fork() == 0:\n    time.sleep(600)\n    os._exit(0)"
    ),
    "kill the parent": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
    "200 KB of print per call": "print('x' * 200_000)",
}
HARMLESS = {
    "print a fake score",
    "walk frames and replace the cost function",
    "200 KB of print per call",
}
