"""The embedded model in plain Python: features, weights, decisions. The oracle for src/local.

Exactness: rarities are multiples of 1/4096, so sums over tokens are exact in any order; sums over calls run in call order.
"""

import collections
import json
import math

from tokens import PATH, evidence, flat, long_lines, mutating, verb, words
from weights import CALL, LINK, LOWEST_TOPIC, RESULT, SHIFTS

PREFIX = 300  # Code points that a shortened output keeps, from its start.
MARKER = 80  # What the marker counts.
REACH = 40  # How many segments a segment looks back; the last one looks at all.
GOAL_ONLY = 3.0  # Rarity of a token that only the goal holds.

LINK_FEATURES = ("known_ev", "known_words", "cosine", "ev_mass", "back_ev", "agent_cosine", "agent_shared")


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def dot(weights, features):
    return weights["base"] + sum(weight * features[name] for name, weight in weights.items() if name != "base")


def text_of(output):
    return output if isinstance(output, str) else "\n".join(block.get("text", "") for block in output)


def input_text(value):
    """The leaves of a call's input, one a line."""
    if isinstance(value, str):
        try:
            return flat(json.loads(value))
        except ValueError:
            return value
    return flat(value)


def read(messages, task_starts=None):
    """-> text blocks (message, is of the user, segment, text) and calls in the order of their results.

    A segment starts at each user message that holds text; what stands before the first one is segment 0.
    `task_starts`: numbers of the messages with which, as the host says, a task begins; segments start at these alone.
    """
    texts, calls, open_calls, segment = [], [], {}, 0
    starts = []
    for at, message in enumerate(messages):
        content = message["content"]
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        said = message["role"] == "user" and any(block["type"] == "text" for block in content)
        if said if task_starts is None else at in task_starts:
            segment += 1
            starts.append(at)
        for block in content:
            if block["type"] == "text":
                texts.append((at, message["role"] == "user", segment, block["text"]))
            elif block["type"] == "tool_call":
                raw = block["input"] if isinstance(block["input"], str) else json.dumps(block["input"])
                open_calls[block["id"]] = {
                    "id": block["id"], "name": block["name"], "input": input_text(block["input"]),
                    "key": block["name"] + "\0" + raw, "at": at, "segment": segment,
                    "finished": block.get("state") == "finished",
                }
            elif block["type"] == "tool_result" and block["id"] in open_calls:
                call = open_calls[block["id"]]
                call["output"], call["result_at"] = text_of(block["output"]), at
                call["good"] = call["finished"] and block.get("state") == "success"
                calls.append(call)
    return texts, calls, segment, starts


class Segments:
    """What was said and known in each segment, and what a later one shares with an earlier one."""

    def __init__(self, texts, calls, last, goal):
        self.last = last
        empty = lambda: [set() for _ in range(last + 1)]
        said_e, said_w, known_e, known_w, user_e, user_w = (empty() for _ in range(6))
        agent_e, agent_w = empty(), empty()
        in_units_e, in_units_w, units = collections.Counter(), collections.Counter(), 0
        for _, of_user, segment, text in texts:
            e, w = evidence(text), words(text)
            units += 1
            in_units_e.update(e)
            in_units_w.update(w)
            (user_e if of_user else agent_e)[segment].update(e)
            (user_w if of_user else agent_w)[segment].update(w)
            known_e[segment].update(e)
            known_w[segment].update(w)
        for call in calls:
            segment = call["segment"]
            e, w = evidence(call["input"]), words(call["input"])
            out_e, out_w = evidence(call["output"]), words(call["output"])
            units += 1
            in_units_e.update(e | out_e)
            in_units_w.update(w | out_w)
            agent_e[segment].update(e)
            agent_w[segment].update(w)
            known_e[segment].update(e | out_e)
            known_w[segment].update(w | out_w)
        rarity = [0] + [
            math.floor(4096 * math.log(1 + (units - held + 0.5) / (held + 0.5)) + 0.5) / 4096
            for held in range(1, units + 1)
        ]
        self.rare_e = {token: rarity[held] for token, held in in_units_e.items()}
        self.rare_w = {token: rarity[held] for token, held in in_units_w.items()}
        for segment in range(last + 1):
            said_e[segment] = user_e[segment] | agent_e[segment]
            said_w[segment] = user_w[segment] | agent_w[segment]
            # A token that the user said in the same segment is not the agent's own.
            agent_e[segment] -= user_e[segment]
            agent_w[segment] -= user_w[segment]
        self.said_e, self.said_w, self.known_e, self.known_w = said_e, said_w, known_e, known_w
        self.agent_e, self.agent_w = agent_e, agent_w
        self.goal_e, self.goal_w = evidence(goal), words(goal)
        self.mass_e = [self.sum_e(tokens) for tokens in said_e]
        self.squares = [self.squares_w(tokens) for tokens in said_w]

    def sum_e(self, tokens):
        return sum(self.rare_e.get(token, GOAL_ONLY) for token in tokens)

    def squares_w(self, tokens):
        return sum(self.rare_w.get(token, GOAL_ONLY) ** 2 for token in tokens)

    def links_of(self, later):
        """-> (earlier segment, link features in the order of LINK_FEATURES) for each that `later` looks back at."""
        e, w = self.said_e[later], self.said_w[later]
        if later == self.last:
            # The goal counts as said in the last segment, but not as said by the agent, and not in back_ev.
            e, w = e | self.goal_e, w | self.goal_w
        mass = self.sum_e(e)
        word_mass = sum(self.rare_w.get(token, GOAL_ONLY) for token in w)
        squares, agent_squares = self.squares_w(w), self.squares_w(self.agent_w[later])
        for earlier in range(0 if later == self.last else max(0, later - REACH), later):
            said_w, known_e, known_w = self.said_w[earlier], self.known_e[earlier], self.known_w[earlier]
            norm = self.squares[earlier]
            yield earlier, (
                self.sum_e(e & known_e) / (mass + 3),
                sum(self.rare_w[token] for token in w & known_w) / (word_mass + 3),
                self.squares_w(w & said_w) / (math.sqrt(squares * norm) + 1),
                math.log(1 + mass),
                self.sum_e(self.said_e[later] & self.said_e[earlier]) / (self.mass_e[earlier] + 3),
                self.squares_w(self.agent_w[later] & said_w) / (math.sqrt(agent_squares * norm) + 1),
                math.log(1 + self.sum_e(self.agent_e[later] & known_e)),
            )


def link(features, weights=LINK):
    return sigmoid(dot(weights, dict(zip(LINK_FEATURES, features))))


def topics(pairs, last, weights=LINK):
    """pairs: (later, earlier, link features), later falling -> the topic of each segment: its best path from the last one."""
    topic = [0.0] * last + [1.0]
    for later, earlier, features in pairs:
        topic[earlier] = max(topic[earlier], topic[later] * link(features, weights))
    return topic


def snapshot(messages, preserved, goal, task_starts=None):
    """-> everything that does not depend on weights: rows of candidates, link features, calls."""
    texts, calls, last, starts = read(messages, task_starts)
    segments = Segments(texts, calls, last, goal)
    pairs = [(later, earlier, f) for later in range(last, 0, -1) for earlier, f in segments.links_of(later)]
    said = set().union(*segments.said_e) if segments.said_e else set()
    holder, line_holder, seen = {}, {}, collections.Counter()
    for index, call in enumerate(calls):
        call["evidence"], call["lines"] = evidence(call["output"]), long_lines(call["output"])
        holder.update(dict.fromkeys(call["evidence"], index))
        line_holder.update(dict.fromkeys(call["lines"], index))
        seen[call["key"]] += 1
        call["nth"] = seen[call["key"]]
    protected = {0} | set(range(len(messages) - preserved, len(messages)))
    rows = []
    for index, call in enumerate(calls):
        call["mutating"] = mutating(call["name"], call["input"])
        if not call["good"] or call["at"] in protected or call["result_at"] in protected:
            continue
        beyond = call["evidence"] - evidence(call["output"][:PREFIX])
        unspoken = sum(1 for token in beyond if holder[token] == index and token not in said)
        kind = verb(call["name"], call["input"])
        length, saved = len(call["output"]), len(call["output"]) - PREFIX - MARKER
        rows.append({
            "call": call["id"], "index": index, "segment": call["segment"], "chars": length,
            "freed": max(0, saved), "by_removal": length + len(call["input"]) + 1,
            "mutating": call["mutating"],
            "features": {
                "unspoken": math.log(1 + unspoken),
                "list": float(kind == "list"),
                "search": float(kind == "search"),
                "age": math.log(len(calls) - index),
                "same_later": float(min(seen[call["key"]] - call["nth"], 3)),
                "superseded": sum(1 for line in call["lines"] if line_holder[line] > index) / (1 + len(call["lines"])),
                "mutating": float(call["mutating"]),
                "input": math.log(1 + len(call["input"])),
                "path": float(bool(PATH.search(call["input"]))),
            },
        })
    return {
        "rows": rows, "pairs": pairs, "last": last, "starts": starts,
        "chars": sum(len(call["output"]) for call in calls),
        "calls": [(call["segment"], call["mutating"]) for call in calls],
    }


def add_topic(snap, topic):
    """Sets the features that depend on the topics of the segments."""
    since = changed = 0.0
    after = [None] * len(snap["calls"])
    for index in range(len(snap["calls"]) - 1, -1, -1):
        after[index] = (since, changed)
        segment, mutates = snap["calls"][index]
        since += topic[segment]
        if mutates:
            changed += topic[segment]
    for row in snap["rows"]:
        on, features = topic[row["segment"]], row["features"]
        since, changed = after[row["index"]]
        features["topic"] = on
        features["topic_log"] = math.log(max(on, LOWEST_TOPIC))
        features["age_off"] = features["age"] * (1 - on)
        features["age_on"] = math.log(1 + since)
        features["changes_since"] = math.log(1 + changed)


def price(row, removed):
    """The logarithm of the characters that are freed: of the whole call where it goes too."""
    return math.log(row["by_removal"] if removed else max(1, row["freed"]))


def decide(row, point="balanced", result=RESULT, call=CALL, shifts=SHIFTS):
    """-> (p_call, p_result), to be compared with 0.5."""
    result_shift, call_shift = shifts[point]
    odds = math.inf if row["mutating"] else dot(call, row["features"]) - call_shift
    p_result = sigmoid(dot(result, row["features"]) - price(row, odds < 0) - result_shift)
    return 1.0 if row["mutating"] else sigmoid(odds), p_result


def decisions(messages, preserved, goal, point="balanced"):
    """-> {call id: (p_call, p_result)} for every candidate."""
    snap = snapshot(messages, preserved, goal)
    add_topic(snap, topics(snap["pairs"], snap["last"]))
    return {row["call"]: decide(row, point) for row in snap["rows"]}
