"""Hostile programs: the 47 kinds that others' sandboxes were measured with, split, and our own.

Each is the body of ``attack(values)``, which returns something true when it got what it wanted;
the program then answers 666. ``WANT`` names the only outcomes that are right where the attack is
not one that asks for something, such as an endless loop. Constants in capitals come from the test.
"""

from dataclasses import dataclass

TAIL = """
def heuristic(values):
    try:
        won = attack(values)
    except Exception as error:
        won = False
    return [666.0] * 6 if won else values
"""
LIBC = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
FRAME = """import json, os, struct
def frame(header, body=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<4sI", b"EUR1", len(text) if length is None else length) + text + body
OK = {"kind": "ok", "arrays": [["answer", "<f8", [6]]]}
"""


@dataclass(frozen=True)
class Attack:
    """One hostile program; ``want`` are the kinds that alone are right (empty: any but a breach)."""

    name: str
    code: str
    want: tuple[str, ...] = ()
    cpu_s: float = 2.0
    wall_s: float = 10.0


def _attack(name: str, body: str, *want: str, head: str = "", **limits: float) -> Attack:
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return Attack(name, f"{head}def attack(values):\n{lines}{TAIL}", want, **limits)


def _raw(name: str, code: str, *want: str, **limits: float) -> Attack:
    return Attack(name, code, want, **limits)


def _call(name: str, arguments: str, *want: str, numbers: dict[str, int]) -> Attack:
    """A raw system call, by its number on x86-64 and on arm64; it won if it did not fail."""
    body = f"import platform\nnr = {numbers!r}[platform.machine()]\n"
    return _attack(name, body + f"return libc.syscall(nr, {arguments}) != -1", *want, head=LIBC)


def _nr(x86: int, arm: int) -> dict[str, int]:
    return {"x86_64": x86, "aarch64": arm}


BURN = "while True: pass"
KILLED = "forbidden_syscall"

KNOWN = [
    _attack("01 endless loop", BURN, "timeout", cpu_s=0.2),
    _attack(
        "02 endless loop deaf to all signals",
        "import signal\nfor n in range(1, 65):\n"
        "    try: signal.signal(n, signal.SIG_IGN)\n    except (OSError, ValueError): pass\n"
        + BURN,
        "timeout",
        cpu_s=0.2,
    ),
    _attack("03 native loop that holds the lock", "return 7 ** (7 ** 11)", "timeout", cpu_s=0.2),
    _attack(
        "04 stopping itself",
        "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
        "timeout",
        wall_s=0.5,
    ),
    _attack(
        "05 fork bomb",
        "import os\nfor _ in range(150):\n    if os.fork() == 0:\n        os._exit(0)\nreturn True",
    ),
    _attack(
        "06 thread bomb",
        "import threading, time\ncount = 0\ntry:\n    for count in range(250):\n"
        "        threading.Thread(target=time.sleep, args=(5,), daemon=True).start()\n"
        "except RuntimeError: pass\nreturn count > 0",
    ),
    _attack("07 20 GB", "x = bytearray(20 * 10**9)\nreturn True"),
    _attack("07b 20 GB in small pieces", "x = []\nwhile True: x.append(bytearray(10**7))"),
    _attack("08 shared anonymous memory", "import mmap\nreturn mmap.mmap(-1, 10**9)"),
    _attack("08b memory file", "import os\nreturn os.memfd_create('x')"),
    _attack("09 300 MB of output", "for _ in range(300): print('x' * 10**6)\nreturn False"),
    _attack(
        "10 recursion without end",
        "import sys\nsys.setrecursionlimit(10**9)\ndef f(): return f()\nreturn f()",
    ),
    _attack("11 leaving with status 0", "import os\nos._exit(0)", "crash"),
    _raw(
        "12 an error whose text loops",
        "class E(BaseException):\n    def __str__(self):\n        while True: pass\n"
        "def heuristic(values): raise E",
        "timeout",
        cpu_s=0.2,
    ),
    _attack(
        "13 filling the disk",
        "import tempfile\nfor p in ('/tmp', '/var/tmp', '/dev/shm', '/run', '.', SCRATCH):\n"
        "    try:\n        open(p + '/filler', 'wb').write(b'x' * 10**6)\n        return True\n"
        "    except OSError: pass",
    ),
    _attack(
        "14 raising its own limits",
        "import resource as r\nbig = (r.RLIM_INFINITY,) * 2\n"
        "for kind in (r.RLIMIT_CPU, r.RLIMIT_AS, r.RLIMIT_FSIZE, r.RLIMIT_NOFILE):\n"
        "    try:\n        r.setrlimit(kind, big)\n        return True\n"
        "    except (OSError, ValueError): pass",
    ),
    _attack(
        "15 dripping its result",
        "import time\nfor byte in frame(OK, bytes(48)):\n    os.write(4, bytes([byte]))\n"
        "    time.sleep(0.1)",
        "timeout",
        head=FRAME,
        wall_s=1.0,
    ),
    _attack(
        "16 threads left running",
        "import _thread\ndef f():\n    while True: pass\n_thread.start_new_thread(f, ())\nreturn True",
    ),
    _attack(
        "17 daemon by double fork",
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        "        time.sleep(300)\n    os._exit(0)\nreturn True",
    ),
    _attack("18 reading /etc/passwd", "return open('/etc/passwd').read()"),
    _attack(
        "19 keys in any environment",
        "import os\nif KEY in str(os.environ): return True\n"
        "for p in ('self', '1', '2', os.getppid(), CALLER):\n"
        "    try:\n        if KEY.encode() in open(f'/proc/{p}/environ', 'rb').read(): return True\n"
        "    except OSError: pass",
    ),
    _attack("20 reading a secret file", "return open(SECRET).read()"),
    _attack(
        "20b finding a secret file",
        "import os\nfor p in ('/', '/home', '/root', '/tmp', SCRATCH):\n"
        "    try:\n        if any('secret' in n for n in os.listdir(p)): return True\n"
        "    except OSError: pass",
    ),
    _attack(
        "21 writing to home",
        "import os\nfor p in (HOME, '/root', '/home', SCRATCH):\n"
        "    try:\n        os.close(os.open(p + '/planted', os.O_CREAT | os.O_WRONLY))\n"
        "        return True\n    except OSError: pass",
    ),
    _attack(
        "22 reading others' memory",
        "import os\nfor p in (os.getppid(), CALLER, 1):\n"
        "    try:\n        open(f'/proc/{p}/maps').read(10)\n        return True\n"
        "    except OSError: pass",
    ),
    _attack(
        "22b writing others' memory",
        "import os\nfor p in (os.getppid(), CALLER, 'self'):\n"
        "    try:\n        os.open(f'/proc/{p}/mem', os.O_RDWR)\n        return True\n"
        "    except OSError: pass",
    ),
    _call("23 ptrace", "16, PARENT, 0, 0", KILLED, numbers=_nr(101, 117)),
    _call(
        "23b process_vm_readv",
        "PARENT, ctypes.create_string_buffer(16), 1, ctypes.create_string_buffer(16), 1, 0",
        KILLED,
        numbers=_nr(310, 270),
    ),
    _attack(
        "24 signals to others",
        "import os\nfor p in (os.getppid(), CALLER, 1, -1, 0, 2):\n"
        "    try:\n        os.kill(p, 0)\n        return True\n    except OSError: pass",
    ),
    _attack(
        "24b signals by descriptor",
        "import os, signal\nfd = os.pidfd_open(os.getppid())\n"
        "signal.pidfd_send_signal(fd, 0)\nreturn True",
    ),
    _attack(
        "25 others' limits",
        "import os, resource as r\nfor p in (os.getppid(), CALLER):\n"
        "    try:\n        r.prlimit(p, r.RLIMIT_NOFILE, (3, 3))\n        return True\n"
        "    except OSError: pass",
    ),
    _attack(
        "25b priority and processors of others",
        "import os\nfor p in (os.getppid(), CALLER):\n"
        "    for f in (lambda: os.setpriority(os.PRIO_PROCESS, p, 19),\n"
        "              lambda: os.sched_setaffinity(p, {0})):\n"
        "        try:\n            f()\n            return True\n        except OSError: pass",
    ),
    _attack(
        "26 TCP to loopback",
        "import socket\ns = socket.socket()\ns.connect((b'127.0.0.1', PORT))\ns.send(b'key')\n"
        "return True",
    ),
    _attack(
        "27 UDP",
        "import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "s.sendto(b'key', (b'127.0.0.1', PORT))\nreturn True",
    ),
    _attack(
        "27b netlink, raw, packet and vsock sockets",
        "import socket\nfor family in (16, 17, 2, 10, 38, 40):\n    for kind in (1, 2, 3):\n"
        "        try:\n            socket.socket(family, kind)\n            return True\n"
        "        except OSError: pass",
    ),
    _attack(
        "28 unix sockets",
        "import socket\nfor name in (SOCKET, '\\0' + ABSTRACT):\n    try:\n"
        "        socket.socket(socket.AF_UNIX).connect(name)\n        return True\n"
        "    except OSError: pass",
    ),
    _attack("28b socket pair", "import socket\nreturn socket.socketpair()"),
    _call("29 user namespace", "0x10000000", KILLED, numbers=_nr(272, 97)),
    _call("29b keyctl", "0, -3, 0", KILLED, numbers=_nr(250, 219)),
    _call("29c add_key", "b'user', b'x', b'y', 1, -3", KILLED, numbers=_nr(248, 217)),
    _call("29d io_uring", "4, ctypes.create_string_buffer(512)", KILLED, numbers=_nr(425, 425)),
    _call("29e userfaultfd", "0", KILLED, numbers=_nr(323, 282)),
    _call("29f bpf", "0, ctypes.create_string_buffer(128), 128", KILLED, numbers=_nr(321, 280)),
    _call(
        "29g perf_event_open",
        "ctypes.create_string_buffer(128), 0, -1, -1, 0",
        KILLED,
        numbers=_nr(298, 241),
    ),
    _call("29h mount", "b'none', b'/tmp', b'tmpfs', 0, 0", KILLED, numbers=_nr(165, 40)),
    _call("29i setns", "0, 0", KILLED, numbers=_nr(308, 268)),
    _call("29j chroot", "b'/tmp'", KILLED, numbers=_nr(161, 51)),
    _attack("30 subprocess", "import subprocess\nreturn subprocess.run(['true']).returncode == 0"),
    _attack("30b os.system", "import os\nreturn os.system('true') == 0"),
    _attack(
        "30c execve",
        "import os\nos.execv(PYTHON, ['p', '-S', '-c', "
        '\'import os,struct;h=b\\\'{"kind":"ok","arrays":[["answer","<f8",[6]]]}\\\';'
        'os.write(4,struct.pack("<4sI",b"EUR1",len(h))+h+struct.pack("<6d",*[666.0]*6))\'])',
    ),
    _attack("30d posix_spawn", "import os\nreturn os.posix_spawn(PYTHON, ['p', '-V'], {})"),
    _raw(
        "31 patching numpy, json, builtins and the runner",
        "import builtins, json, os, sys\nimport numpy as np\n"
        "def heuristic(values):\n    np.ascontiguousarray = lambda a: np.full(6, 666.0)\n"
        "    json.dumps = lambda *a, **k: '{}'\n    builtins.isinstance = lambda *a: True\n"
        "    for m in list(sys.modules.values()):\n"
        "        if 'jailed' in str(getattr(m, '__name__', '')): m.__dict__.clear()\n"
        "    return values",
    ),
    _attack(
        "32 a forged result with a score",
        "os.write(4, frame({'kind': 'ok', 'score': 1.0, 'arrays': OK['arrays']}, bytes(48)))\n"
        "os._exit(0)",
        "bad_result",
        head=FRAME,
    ),
    _attack(
        "33 looking for the reference solution",
        "import gc\nimport numpy as np\nfor o in gc.get_objects():\n"
        "    try:\n        if isinstance(o, np.ndarray) and (o == OPTIMUM).any(): return True\n"
        "        if isinstance(o, float) and o == OPTIMUM: return True\n    except Exception: pass",
    ),
    _raw(
        "34 a pickle bomb as result",
        "import os\nimport numpy as np\nclass Bomb:\n"
        "    def __reduce__(self): return os.system, ('touch ' + SCRATCH + '/boom',)\n"
        "def heuristic(values): return {'answer': np.array([Bomb()] * 6, dtype=object)}",
        "bad_result",
    ),
    _attack(
        "34b raw pickle bytes as result",
        "import pickle\nos.write(4, pickle.dumps(print))\nos._exit(0)",
        "bad_result",
        head=FRAME,
    ),
    _raw("35 not a number", "def heuristic(values): return values * float('nan')", "ok"),
    _raw("35b infinity", "def heuristic(values): return values + float('inf')", "ok"),
    _raw(
        "36 an object that lies about itself",
        "import numpy as np\nclass Liar:\n    def __float__(self): return 666.0\n"
        "    def __eq__(self, other): return True\n    def __len__(self): return 6\n"
        "    def __array__(self, *a, **k): return np.full(6, 666)[:3]\n"
        "def heuristic(values): return Liar()",
        "bad_result",
    ),
    _raw("37 repeated decisions", "def heuristic(values): return values * 0", "ok"),
    _raw("37b decisions out of range", "def heuristic(values): return values - 100", "ok"),
    _attack(
        "38 changing the input",
        "import ctypes\nvalues.flags.writeable = True\nvalues[:] = 0\nreturn True",
    ),
    _raw(
        "38b changing the input by address",
        "import ctypes\ndef heuristic(values):\n    ctypes.memset(values.ctypes.data, 0, 48)\n"
        "    return [666.0] * 6",
        "crash",
    ),
    _attack(
        "39 changing the result later",
        "import threading, time\nt = threading.Timer(0.001, values.fill, (666.0,))\nt.start()\n"
        "return True",
    ),
    _attack(
        "40 a false length",
        "os.write(4, frame(OK, b'', 2**31))\nos._exit(0)",
        "bad_result",
        head=FRAME,
    ),
    _attack(
        "40b 400 MB of result",
        "os.write(4, frame(OK))\nfor _ in range(400): os.write(4, bytes(10**6))",
        "bad_result",
        head=FRAME,
    ),
    _attack(
        "41 nested JSON", "os.write(4, frame(b'[' * 16000))\nos._exit(0)", "bad_result", head=FRAME
    ),
    _raw(
        "42 leaving state behind",
        "import os, sys\nimport numpy as np\ndef heuristic(values):\n"
        "    seen = hasattr(np, 'planted') or 'planted' in sys.modules\n"
        "    np.planted = sys.modules['planted'] = True\n"
        "    for p in ('/tmp/planted', '/dev/shm/planted', SCRATCH + '/planted'):\n"
        "        try:\n            seen = seen or os.path.exists(p)\n            open(p, 'w').close()\n"
        "        except OSError: pass\n    return [666.0] * 6 if seen else values",
    ),
    _call("42b SysV shared memory", "1234, 4096, 0o1666", numbers=_nr(29, 194)),
    _call("42c SysV message queue", "1234, 0o1666", numbers=_nr(68, 186)),
    _call("42d POSIX message queue", "b'planted', 0o102, 0o666, 0", numbers=_nr(240, 180)),
    _attack(
        "43 links onto other files",
        "import os\nfor f in (os.symlink, os.link):\n    for p in ('/tmp/l', SCRATCH + '/l'):\n"
        "        try:\n            f(SECRET, p)\n            return True\n"
        "        except OSError: pass",
    ),
    _attack(
        "44 inherited descriptors",
        "import os\nours = {os.fstat(fd).st_ino for fd in range(6)}\nfor fd in range(6, 4096):\n"
        "    try:\n        if os.fstat(fd).st_ino not in ours: return True\n"
        "    except OSError: pass",
    ),
    _attack(
        "45 attacking a sibling",
        "import os, resource\nfor p in range(max(2, os.getpid() - 300), os.getpid() + 300):\n"
        "    if p == os.getpid(): continue\n"
        "    for f in (lambda: os.kill(p, 0), lambda: open(f'/proc/{p}/mem', 'rb'),\n"
        "              lambda: resource.prlimit(p, resource.RLIMIT_CPU, (1, 1))):\n"
        "        try:\n            f()\n            return True\n        except OSError: pass",
    ),
    _attack(
        "46 listing processes", "import os\nreturn any(n.isdigit() for n in os.listdir('/proc'))"
    ),
    _attack(
        "47 reading the platform's files",
        "import os\nfor p in PLATFORM:\n    try:\n        open(p, 'rb').read(1)\n        return True\n"
        "    except OSError: pass\n    try:\n        os.listdir(os.path.dirname(p))\n"
        "        return True\n    except OSError: pass",
    ),
]
