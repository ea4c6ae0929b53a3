"""Tokens, lines and kinds of calls, as the study of decision quality defines them (ASCII rules).

The Rust counterparts are src/local/token.rs, kind.rs and mutating.rs. Characters are code points.
"""

import re
from functools import lru_cache

WORD = re.compile(r"[A-Za-z0-9_]+(?:[./:@#\-][A-Za-z0-9_]+)*")
SUB = re.compile(r"[A-Za-z0-9_]+")
CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
PROP = re.compile(r"\b[A-Z][a-z]{2,}(?: (?:of |de |van |the )?[A-Z][a-z]{2,})+")
NUM = re.compile(r"^\d+(?:[.:\-/]\d+)*$")
PATH = re.compile(r"[A-Za-z0-9_\-.~]*(?:/[A-Za-z0-9_\-.]+)+|[A-Za-z0-9_\-]+\.(?:py|js|ts|tsx|rs|go|java|c|h|cpp|md|txt|json|ya?ml|toml|cfg|ini|html|css|csv|sql|sh|pdf|xml|rst)\b")
def strength(t):
    """0 no evidence, 1 weak, 2 strong"""
    n = len(t)
    if n < 3: return 0
    digits = sum(c.isdigit() for c in t); alpha = any(c.isalpha() for c in t)
    if NUM.match(t):
        if digits >= 5: return 2
        if digits >= 4 and not (n == 4 and t[:2] in ('19', '20')): return 1 if '.' not in t else 2
        return 1 if digits >= 3 else 0
    sep = any(c in t for c in '/.:@#-')
    if digits and alpha: return 2 if (n >= 5 and not sep) or n >= 8 else 1
    if '_' in t.strip('_') or CAMEL.search(t): return 2 if n >= 8 else (1 if n >= 5 else 0)
    if '/' in t or ('.' in t and n >= 6): return 2 if n >= 10 else 1
    return 0


def strong_part(t):
    n = len(t); digits = sum(c.isdigit() for c in t)
    if NUM.match(t): return digits >= 5 or (digits >= 4 and '.' in t)
    if digits: return n >= 5
    return n >= 8 if ('_' in t.strip('_') or CAMEL.search(t)) else n >= 10


@lru_cache(maxsize=None)
def evidence(text):
    out = set()
    for w in set(WORD.findall(text)):
        if len(w) > 120: continue
        if strength(w): out.add(w)
        if not w.isalnum():
            for p in SUB.findall(w):
                if strength(p) and (strong_part(p) or not p.isdigit()): out.add(p)
    for w in PROP.findall(text):
        if 8 <= len(w) <= 60: out.add(w)
    return frozenset(out)


@lru_cache(maxsize=None)
def words(text): return frozenset(w.lower() for w in SUB.findall(text[:20000]) if 3 <= len(w) <= 40)


@lru_cache(maxsize=None)
def long_lines(text):
    r = set()
    for l in text.replace('\\n', '\n').split('\n'):
        l = re.sub(r'^\s*\d+\s*[:|\t-]?\s*', '', l).strip()
        if len(l) >= 24 and len(SUB.findall(l)) >= 4: r.add(l)
    return frozenset(r)


def grams(text, n=7):
    w = [x.lower() for x in SUB.findall(text)]
    return {' '.join(w[i:i+n]) for i in range(len(w)-n+1)}


def flat(v):
    if isinstance(v, str): return v
    if isinstance(v, dict): return '\n'.join(flat(x) for x in v.values())
    if isinstance(v, list): return '\n'.join(flat(x) for x in v)
    return str(v)


def verb(name, inp):
    s = name.lower()
    if s in ('bash', 'run', 'sql', 'execute_bash', 'shell', 'terminal'):
        w = SUB.findall(re.sub(r'\bcd\s+\S+\s*&&', '', inp)[:60].lower()); s = w[0] if w else s
        s = {'sed': 'read', 'head': 'read', 'tail': 'read', 'nl': 'read', 'less': 'read', 'awk': 'read', 'select': 'query',
             'python': 'run', 'python3': 'run', 'pytest': 'run', 'make': 'run', 'npm': 'run', 'node': 'run', 'cargo': 'run'}.get(s, s)
    for k, p in (('read', r'read|open|view|cat|goto|scroll|visit|fetch|details|get'), ('search', r'search|grep|find|query|lookup|rg|ask_websurfer'),
                 ('list', r'list|ls|tree|glob|show|describe')):
        if re.search(p, s): return k
    return 'other'


# ---- calls that change something: src/local/mutating.rs
NAMES = frozenset(
    "edit write create update cancel book delete send modify post place pay close add remove move mv cp rm touch mkdir "
    "echo insert submit return exchange transfer deploy apply".split()
)
SHELLS = ("bash", "run", "execute_bash", "shell", "terminal", "str_replace_editor")
COMMANDS = {
    "apt": (), "chmod": (), "cp": (), "create": (), "edit": (),
    "git": ("apply", "checkout", "stash", "reset", "commit", "restore", "add"),
    "insert": (), "mkdir": (), "mv": (), "npm": ("i",), "patch": (), "pip": ("install",), "rm": (), "sed": ("-i",),
    "submit": (), "tee": (), "touch": (),
}


def is_word(character):
    return character.isalnum() or character == "_"


def name_says_so(name):
    part, previous_small = "", False
    for character in name + "_":
        hump = "A" <= character <= "Z" and previous_small
        if hump or not character.isalnum():
            if part in NAMES:
                return True
            part = ""
        if character.isalnum():
            part += character.lower() if character.isascii() else character
        previous_small = character.islower()
    return False


def runs_command(text):
    for command in re.split(r"[;&|\n]", text):
        command = command.lstrip()
        if command.startswith("sudo") and command[4:5].isspace():
            command = command[4:].lstrip()
        for word, arguments in COMMANDS.items():
            if not command.startswith(word):
                continue
            rest = command[len(word):]
            if not arguments:
                if not rest or not is_word(rest[0]):
                    return True
                continue
            argument = rest.lstrip()
            for wanted in arguments if len(argument) < len(rest) else ():
                after = argument[len(wanted):]
                if argument.startswith(wanted) and (not after or not is_word(after[0])):
                    return True
    return False


def redirects(text):
    for at, character in enumerate(text):
        if character == ">":
            target = text[at + 1:].lstrip()
            if target and not target.startswith("/dev/null") and (is_word(target[0]) or target[0] in "./~-"):
                return True
    return False


def writes_file(text):
    if "write_text" in text:
        return True
    is_open = False
    for at, character in enumerate(text):
        if character == "(":
            is_open = is_open or text[:at].endswith("open")
        elif character == ")":
            is_open = False
        elif character in "'\"" and is_open and text[at + 1:at + 2] in ("w", "a"):
            return True
    return False


@lru_cache(maxsize=None)
def mutating(name, text):
    """Whether a call changes something. `text`: the leaves of its input, one a line."""
    if name_says_so(name):
        return True
    shell = any(name.lower() == known for known in SHELLS)
    return shell and (runs_command(text) or redirects(text) or writes_file(text))
