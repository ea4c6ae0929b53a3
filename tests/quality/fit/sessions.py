"""Recorded sessions: reading, splitting by task, joining, labelling.

One file per session, as bench/trajectories has them: {"group", "domain", "messages", "cuts": [{"history_len", …}]}.
Sessions of one group (the same task, also by another harness) stay on one side of the split.
"""

import collections
import json
import os
import random
import re
from functools import lru_cache

from model import PREFIX, input_text, snapshot, text_of
from tokens import SUB, evidence, grams, long_lines, strength

BACK, BACK_VAGUE = "Back to the earlier task now: ", "OK, now go back to the task before that one and finish it."
BACK_SHORT = ("Thanks, that settles it. Back to the task now.", "Good, done. Now the task again, please.")
NUDGES = (
    "Please go on.", "Looks good so far, carry on.", "Thanks. What is the next step? Please do it.",
    "I had to step away, please continue where you stopped.",
)
FEWEST_TASKS = 12
VAGUE_GOAL = "Continue with the current task."

# A token counts as evidence only if at most this share of the groups of its domain hold it (at least three groups may).
RARE_SHARE = {"service": 0.05}
RARE_SHARE_ELSEWHERE = 0.02
IMPORT = re.compile(r"^\s*(from|import|#include|use|require)\b")


class Session:
    def __init__(self, path, name):
        with open(path) as file:
            data = json.load(file)
        self.name, self.domain, self.group = name, data["domain"], data["group"]
        self.messages = data["messages"]
        self.cuts = sorted(cut["history_len"] for cut in data.get("cuts", []))
        # What shares a repository or a service desk makes the hard joins.
        self.desk = self.group.split("__")[0] if "__" in self.group else "-".join(self.group.split("-")[:2])
        self.first_user = next(
            block["text"] for message in self.messages if message["role"] == "user"
            for block in message["content"] if block["type"] == "text"
        )
        task = re.sub(r"^Consider the following PR description:\s*", "", self.first_user)
        self.title = task.strip().split("\n")[0][:120]

    def __len__(self):
        return len(self.messages)

    def systems(self):
        return sum(1 for message in self.messages if message["role"] == "system")


def load(root):
    found = {}
    for folder, _, files in sorted(os.walk(root)):
        for file in sorted(files):
            if file.endswith(".json"):
                path = os.path.join(folder, file)
                name = os.path.relpath(path, root)
                found[name] = Session(path, name)
    return found


def split(sessions, seed):
    """-> {name: 0 or 1}, by group, balanced over domains and desks."""
    groups = collections.defaultdict(list)
    for session in sessions.values():
        groups[session.domain, session.desk, session.group].append(session.name)
    in_desk = collections.Counter(key[:2] for key in groups)
    strata = collections.defaultdict(list)
    for key in sorted(groups):
        strata[key[0], key[1] if in_desk[key[:2]] >= 4 else ""].append(key)
    chance, side, offset = random.Random(seed), {}, 0
    for stratum in sorted(strata):
        keys = strata[stratum]
        chance.shuffle(keys)
        for index, key in enumerate(keys):
            for name in groups[key]:
                side[name] = (index + offset) % 2
        offset += len(keys) % 2
    return side


# ---- joining
def build(sessions, parts):
    """parts: {"session", "from", "to"} or {"say"} -> messages, and for each message the number of the session it belongs to."""
    messages, owners, numbers = [], [], {}
    for part in parts:
        if "say" in part:
            messages.append({"role": "user", "content": [{"type": "text", "text": part["say"]}]})
            owners.append(None)
            continue
        number = numbers.setdefault(part["session"], len(numbers))
        for message in sessions[part["session"]].messages[part["from"]:part["to"]]:
            if message["role"] == "system" and messages:
                continue
            content = [
                dict(block, id=f"{number}_{block['id']}") if block["type"] in ("tool_call", "tool_result") else block
                for block in message["content"]
            ]
            messages.append({"role": message["role"], "content": content})
            owners.append(number)
    # What is said in between belongs to what comes after it.
    for at in reversed(range(len(owners))):
        if owners[at] is None:
            owners[at] = owners[at + 1]
    return messages, owners


def goal_of(messages, task, rule="task"):
    last = [b["text"] for m in messages if m["role"] == "user" for b in m["content"] if b["type"] == "text"][-1]
    if rule == "vague":
        return VAGUE_GOAL
    if rule == "last":
        return last[:1500]
    text = task.first_user[:3000]
    return text + ("\n" + last[:1500] if last[:3000] != text else "")


def protected_tail(cut):
    return min(6, max(2, cut // 4))


class Joiner:
    """Makes cases of the sessions of one side: single, follow, foreign, aba, hard, easy, quest."""

    def __init__(self, sessions, names, seed, scale=1.0):
        self.sessions, self.names, self.chance, self.scale = sessions, sorted(names), random.Random(seed), scale
        self.by_domain = collections.defaultdict(list)
        for name in self.names:
            self.by_domain[sessions[name].domain].append(name)

    def cases(self):
        cases = [self.single(name) for name in self.names]
        for domain, names in sorted(self.by_domain.items()):
            # A handful of tasks, joined again and again, would outweigh the rest.
            if len({self.sessions[name].group for name in names}) < FEWEST_TASKS:
                continue
            for name in names:
                cases += self.interrupted(name)
            for kind, count in (("aba", 45), ("hard", 75), ("easy", 60), ("quest", 40)):
                made = (getattr(self, kind)(names) for _ in range(int(count * self.scale)))
                cases += [case for case in made if case]
        return cases

    def case(self, kind, task, parts, cuts):
        return {"kind": kind, "domain": self.sessions[task].domain, "task": task, "parts": parts, "cuts": sorted(set(cuts))}

    def whole(self, name):
        return {"session": name, "from": 0, "to": len(self.sessions[name])}

    def single(self, name):
        session = self.sessions[name]
        cuts = session.cuts or [round(len(session) * share) for share in (0.35, 0.5, 0.65, 0.8)]
        case = self.case("single", name, [self.whole(name)], cuts)
        case["dense"] = list(range(max(6, int(0.3 * len(session))), len(session) - 1, 2))
        return case

    def steps(self, name):
        session = self.sessions[name]
        return [at for at in range(5, len(session) - 4) if session.messages[at]["role"] == "assistant"]

    def others(self, name, pool=None):
        group = self.sessions[name].group
        return [other for other in pool or self.names if self.sessions[other].group != group]

    def interrupted(self, name):
        """Turns that go on with the task: a nudge, alone or with a piece of another task's text."""
        session, steps, chance, cases = self.sessions[name], self.steps(name), self.chance, []
        long_texts = [other for other in self.others(name) if len(self.sessions[other].first_user) >= 600]
        for turn in range(5) if len(session) >= 14 and steps else ():
            at, kind, say = chance.choice(steps), "follow", chance.choice(NUDGES)
            if turn >= 2 and long_texts:
                text = self.sessions[chance.choice(long_texts)].first_user
                length = chance.choice((1200, 1200, 300))
                start = chance.randrange(max(1, len(text) - length)) if chance.random() < 0.5 else 0
                kind, say = "foreign" if length == 1200 else "foreign300", say + "\n" + text[start:start + length]
            parts = [{"session": name, "from": 0, "to": at}, {"say": say}, {"session": name, "from": at, "to": len(session)}]
            cases.append(self.case(kind, name, parts, [min(len(session) - 1, at + 1 + more) for more in (3, 6, 10, 16)]))
        return cases

    def after_return(self, back, rest):
        return [cut for cut in (back + 2, back + 4, back + int(0.3 * rest), back + int(0.5 * rest)) if cut <= back + rest - 2]

    def aba(self, names):
        chance, sessions = self.chance, self.sessions
        name = chance.choice([name for name in names if len(sessions[name]) >= 16])
        session = sessions[name]
        at = int(len(session) * chance.uniform(0.4, 0.6))
        while at < len(session) and session.messages[at]["role"] != "assistant":
            at += 1
        foreign = [other for other in self.names if sessions[other].domain != session.domain]
        between = chance.choice(self.others(name, names if chance.random() < 0.5 else foreign))
        say = BACK + session.title if chance.random() < 0.66 else BACK_VAGUE
        parts = [{"session": name, "from": 0, "to": at}, self.whole(between), {"say": say},
                 {"session": name, "from": at, "to": len(session)}]
        back = at + len(sessions[between]) - sessions[between].systems() + 1
        return self.case("aba", name, parts, self.after_return(back, len(session) - at))

    def chain(self, kind, names, pool_of):
        chance, sessions = self.chance, self.sessions
        name = chance.choice([name for name in names if len(sessions[name]) >= 8])
        pool = pool_of(name)
        chance.shuffle(pool)
        ended = list({sessions[other].group: other for other in pool}.values())[:chance.choice((1, 2, 3))]
        if not ended:
            return None
        start = sum(len(sessions[o]) - (sessions[o].systems() if index else 0) for index, o in enumerate(ended))
        end = start + len(sessions[name]) - sessions[name].systems()
        cuts = [start + 3] + [start + int(share * (end - start)) for share in chance.sample((0.35, 0.5, 0.65, 0.8), 2)]
        parts = [self.whole(other) for other in ended] + [self.whole(name)]
        return self.case(kind, name, parts, [cut for cut in cuts if start + 2 <= cut <= end - 2])

    def hard(self, names):
        def pool(name):
            same = [o for o in self.others(name, names) if self.sessions[o].desk == self.sessions[name].desk]
            return same if len(same) >= 2 else self.others(name, names)
        return self.chain("hard", names, pool)

    def easy(self, names):
        domain = self.sessions[names[0]].domain
        return self.chain("easy", names, lambda name: [o for o in self.names if self.sessions[o].domain != domain])

    def quest(self, names):
        """Short side tasks, the first turns of other sessions, inside one task."""
        chance, sessions = self.chance, self.sessions
        name = chance.choice([name for name in names if len(sessions[name]) >= 16])
        count, steps = chance.choice((1, 2, 3)), self.steps(name)
        if len(steps) < count:
            return None
        parts, done, groups = [], 0, {sessions[name].group}
        for at in sorted(chance.sample(steps, count)):
            other = chance.choice([o for o in self.names if sessions[o].group not in groups])
            groups.add(sessions[other].group)
            say = BACK + sessions[name].title if chance.random() < 0.5 else chance.choice(BACK_SHORT)
            to = min(len(sessions[other]), chance.choice((6, 8, 10, 12)))
            parts += [{"session": name, "from": done, "to": at}, {"session": other, "from": 0, "to": to}, {"say": say}]
            done = at
        parts.append({"session": name, "from": done, "to": len(sessions[name])})
        length, rest = len(build(sessions, parts)[0]), len(sessions[name]) - done
        return self.case("quest", name, parts, self.after_return(length - rest, rest))


# ---- labels: provenance of what the future writes
@lru_cache(maxsize=None)
def verbatim_lines(text):
    return frozenset(line for line in long_lines(text) if not IMPORT.match(line))


@lru_cache(maxsize=None)
def runs(text):
    return frozenset(grams(text))


@lru_cache(maxsize=None)
def all_words(text):
    return frozenset(word.lower() for word in SUB.findall(text))


class Rarity:
    """In how many groups of a domain a token occurs. Used by labels alone, never by features."""

    def __init__(self, sessions):
        groups = collections.defaultdict(lambda: collections.defaultdict(set))
        for session in sessions.values():
            held = groups[session.domain][session.group]
            for message in session.messages:
                for block in message["content"]:
                    text = block.get("text") or ""
                    if block["type"] == "tool_call":
                        text = input_text(block["input"])
                    elif block["type"] == "tool_result":
                        text = text_of(block["output"])
                    held |= evidence(text)
        self.counts = {d: collections.Counter(t for held in by.values() for t in held) for d, by in groups.items()}
        self.limits = {d: max(3, RARE_SHARE.get(d, RARE_SHARE_ELSEWHERE) * len(by)) for d, by in groups.items()}

    def rare(self, domain, token):
        return self.counts[domain].get(token, 0) <= self.limits[domain]


class Evidence:
    def __init__(self):
        self.strong, self.weak, self.verbatim = set(), set(), set()

    def is_enough(self):
        numbered = any(sum(c.isdigit() for c in token) >= 2 for token in self.strong)
        strong, weak = len(self.strong), len(self.weak)
        return bool(self.verbatim) or numbered or strong >= 2 or (strong and weak) or weak >= 3


def label(messages, cut, candidates, goal, domain, rarity):
    """-> calls whose output, and calls whose input or kept start, the future needs (rules 1 to 4 of the labels)."""
    said, said_lines, said_runs, said_words = set(), set(), set(), set()

    def keep(text):
        said.update(evidence(text))
        said_lines.update(verbatim_lines(text))
        said_runs.update(runs(text))
        said_words.update(all_words(text))

    keep(goal)
    candidates, outputs, own_parts, counts = set(candidates), {}, {}, collections.Counter()
    for message in messages[:cut]:
        for block in message["content"]:
            if block["type"] == "text":
                keep(block["text"])
                counts.update(evidence(block["text"]))
            elif block["type"] == "tool_call":
                text = input_text(block["input"])
                keep(text)
                counts.update(evidence(text))
                own_parts[block["id"]] = text
            elif block["type"] == "tool_result":
                text = text_of(block["output"])
                if block["id"] in candidates:
                    keep(text[:PREFIX])
                    outputs[block["id"]] = text
                    start = evidence(text[:PREFIX])
                    counts.update(start - evidence(own_parts.get(block["id"], "")))
                    own_parts[block["id"]] = own_parts.get(block["id"], "") + "\n" + text[:PREFIX]
                else:
                    keep(text)
                    counts.update(evidence(text))
    holder, line_holder, run_holder, part_holder = {}, {}, {}, {}
    for call, text in outputs.items():
        holder.update(dict.fromkeys(evidence(text), call))
        line_holder.update(dict.fromkeys(verbatim_lines(text) - verbatim_lines(text[:PREFIX]), call))
        run_holder.update(dict.fromkeys(runs(text), call))
        part_holder.update((token, call) for token in evidence(own_parts[call]) if counts[token] == 1)
    found = collections.defaultdict(Evidence)
    found_in_part = collections.defaultdict(Evidence)
    for message in messages[cut:]:
        written = [b["text"] for b in message["content"] if b["type"] == "text" and message["role"] == "assistant"]
        written += [input_text(b["input"]) for b in message["content"] if b["type"] == "tool_call"]
        for text in written:
            for token in evidence(text):
                if not rarity.rare(domain, token):
                    continue
                into = None
                if token not in said and token in holder:
                    into = found[holder[token]]
                elif token in part_holder:
                    into = found_in_part[part_holder[token]]
                if into:
                    strong = strength(token) == 2 or (strength(token) == 0 and len(token) >= 8)
                    (into.strong if strong else into.weak).add(token)
            for line in verbatim_lines(text) - said_lines:
                if line in line_holder:
                    found[line_holder[line]].verbatim.add(line)
            for run in runs(text) - said_runs:
                if run in run_holder and sum(1 for word in set(run.split()) if word not in said_words) >= 3:
                    found[run_holder[run]].verbatim.add(run)
        for block in message["content"]:
            if block["type"] == "text":
                keep(block["text"])
                counts.update(evidence(block["text"]))
            elif block["type"] == "tool_call":
                keep(input_text(block["input"]))
            elif block["type"] == "tool_result":
                keep(text_of(block["output"]))
    need = {call for call, evidence_found in found.items() if evidence_found.is_enough()}
    return need, need | {call for call, evidence_found in found_in_part.items() if evidence_found.is_enough()}


def snapshots(sessions, cases, rarity, goals="task", seed=0, dense=False):
    """Snapshots of the cases with labels. goals: task, vague, or mix (half task, a quarter last message, a quarter vague)."""
    made, chance = [], random.Random(seed)
    for case in cases:
        task = sessions[case["task"]]
        messages, owners = build(sessions, case["parts"])
        order = list(dict.fromkeys(part["session"] for part in case["parts"] if "session" in part))
        member = order.index(case["task"])
        for cut in case["dense"] if dense else case["cuts"]:
            rule = goals
            if goals == "mix":
                rule = chance.choices(("task", "last", "vague"), (2, 1, 1))[0]
            if not 6 <= cut < len(messages):
                continue
            snap = snapshot(messages[:cut], protected_tail(cut), goal_of(messages[:cut], task, rule))
            if not snap["rows"]:
                continue
            ids = [row["call"] for row in snap["rows"]]
            task_goal = goal_of(messages[:cut], task)
            need, need_call = label(messages, cut, ids, task_goal, case["domain"], rarity)
            for row in snap["rows"]:
                row["own"] = row["call"].startswith(f"{member}_")
                row["need"] = row["own"] and row["call"] in need
                row["need_call"] = row["own"] and row["call"] in need_call
            snap["owners"] = [None] + [owners[at] for at in snap["starts"]]
            snap.update(kind=case["kind"], domain=case["domain"], group=task.group, member=member)
            snap["cut"], snap["case"] = cut, case
            made.append(snap)
    return made
