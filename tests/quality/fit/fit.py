"""Refits the embedded model on recorded sessions and reports it on tasks that the fit has not seen.

python3 fit.py SESSIONS [--seed 1] [--scale 1.0] [--boot 200] [--final]

SESSIONS is a folder of session files (see sessions.py). Two-fold by task: fitted on one half, measured on the other, and
the reverse. With --final: fitted on all of them, and the table for weights.py and src/local/weights.rs is printed.
"""

import argparse

import numpy as np

import model
from sessions import Joiner, Rarity, load, snapshots, split

# ---- what is pulled where: the study's weights were fitted on ten times these sessions, so they move only for cause
PRIOR = {
    "base": -2.475, "unspoken": 0.547, "list": -2.47, "search": -0.824, "age_on": -0.412, "age_off": -1.0,
    "topic_log": 2.0, "same_later": -1.393, "superseded": -1.331, "changes_since": 0.0, "mutating": 0.0,
}
START_LINK = {
    "base": -0.8, "known_ev": 9.7, "known_words": -2.8, "cosine": 19.0, "ev_mass": -0.7, "back_ev": 11.0,
    "agent_cosine": -12.5, "agent_shared": 0.45,
}
FROM_STUDY = ("unspoken", "list", "search", "age_on", "same_later", "superseded")
CALL_PRIOR = {
    "base": -0.643, "age_on": -0.285, "age_off": -1.3, "topic_log": 1.0, "input": -0.107, "path": -0.029,
    "same_later": -2.597, "list": -1.593, "search": -1.907,
}
PULL_STUDY, PULL_NEW = 1e5, 30.0
# Losing the running task costs more than keeping an ended one.
ON_TOPIC_WEIGHT = 3.0
LINK_PULL = 1e-3
# Needed results, and needed calls of the running task, that each point may lose on the fit side, in any pool.
ALLOWED = {"careful": 0.01, "balanced": 0.027, "firm": 0.09}
CALL_ALLOWED = {"careful": 0.01, "balanced": 0.025, "firm": 0.06}
LIMITED = {"joined": 1.0, "one task": 1.0, "foreign text": 1.4}
POOLS = {
    "joined": ("aba", "hard", "easy"), "aba": ("aba",), "hard": ("hard",), "easy": ("easy",),
    "hard service": ("hard",), "one task": ("single", "follow"), "single": ("single",), "follow": ("follow",),
    "foreign text": ("foreign",), "side quests": ("quest",),
}


def minimise(function, start, steps=100):
    """BFGS with a backtracking line search; `function` gives value and gradient.

    The best path of a topic may change under way, which bends the function: then the curvature is forgotten and the
    search goes on; it ends when that does not help either.
    """
    x = np.array(start, float)
    value, gradient = function(x)
    fresh, inverse = True, np.eye(len(x)) / max(1.0, np.linalg.norm(gradient))
    for _ in range(steps):
        step = -inverse @ gradient
        slope, size = gradient @ step, 1.0
        while slope < 0 and size > 1e-6:
            new_value, new_gradient = function(x + size * step)
            if new_value <= value + 1e-4 * size * slope:
                break
            size /= 2
        if slope >= 0 or size <= 1e-6 or value - new_value < 1e-6 * abs(value):
            if slope < 0 and size > 1e-6:
                x, value, gradient = x + size * step, new_value, new_gradient
            if fresh:
                break
            fresh, inverse = True, np.eye(len(x)) / max(1.0, np.linalg.norm(gradient))
            continue
        moved, turned = size * step, new_gradient - gradient
        x, value, gradient = x + moved, new_value, new_gradient
        product = moved @ turned
        if product > 1e-12:
            if fresh:
                inverse = np.eye(len(x)) * product / (turned @ turned)
            left = np.eye(len(x)) - np.outer(moved, turned) / product
            inverse = left @ inverse @ left.T + np.outer(moved, moved) / product
        fresh = False
    return x, value


# ---- the link
def link_cases(snaps):
    cases = []
    for snap in snaps:
        last = snap["last"]
        if last < 2:
            continue
        freed, needed, calls = np.zeros(last + 1), np.zeros(last + 1), np.zeros(last + 1)
        for row in snap["rows"]:
            freed[row["segment"]] += row["freed"]
            needed[row["segment"]] += row["need"]
            calls[row["segment"]] += 1
        own = np.array([owner == snap["member"] for owner in snap["owners"]])
        weight = 0.05 * (calls > 0) + np.sqrt(freed / max(1, freed.sum())) + 0.5 * needed
        weight[0] = weight[last] = 0
        if weight.sum() > 0:
            weight = weight * np.where(own, ON_TOPIC_WEIGHT, 1) * (0.5 if snap["kind"] == "single" else 1.0)
            features = np.array([pair[2] for pair in snap["pairs"]])
            cases.append((features, [pair[:2] for pair in snap["pairs"]], own, weight))
    return cases


def fit_link(snaps):
    """Weights under which the topic of each segment tells best whether it belongs to the running task."""
    cases = link_cases(snaps)
    stacked = np.concatenate([case[0] for case in cases])
    mean, spread = stacked.mean(0), stacked.std(0) + 1e-9
    cases = [((features - mean) / spread, pairs, own, weight) for features, pairs, own, weight in cases]
    total = sum(weight.sum() for _, _, _, weight in cases)

    def loss(x):
        value, gradient = 0.0, np.zeros(len(x))
        for features, pairs, own, weight in cases:
            chance = 1 / (1 + np.exp(-(x[0] + features @ x[1:])))
            topic, through = np.zeros(len(own)), [None] * len(own)
            topic[-1] = 1.0
            for number, (later, earlier) in enumerate(pairs):
                product = topic[later] * chance[number]
                if product > topic[earlier]:
                    topic[earlier], through[earlier] = product, number
            slope = np.zeros((len(own), len(x)))  # Of the logarithm of each topic.
            for segment in range(len(own) - 2, -1, -1):
                number = through[segment]
                if number is not None:
                    slope[segment] = slope[pairs[number][0]]
                    slope[segment, 0] += 1 - chance[number]
                    slope[segment, 1:] += (1 - chance[number]) * features[number]
            bounded = np.clip(topic, 1e-3, 1 - 1e-3)
            value -= (weight * np.where(own, np.log(bounded), np.log(1 - bounded))).sum()
            gradient += (weight * np.where(own, -1, bounded / (1 - bounded))) @ slope
        return value / total + LINK_PULL * (x[1:] @ x[1:]), gradient / total + np.r_[0, 2 * LINK_PULL * x[1:]]

    start = np.array([START_LINK[name] for name in model.LINK_FEATURES])
    x, _ = minimise(loss, np.r_[START_LINK["base"] + start @ mean, start * spread])
    slopes = x[1:] / spread
    return {"base": float(x[0] - slopes @ mean), **dict(zip(model.LINK_FEATURES, map(float, slopes)))}


# ---- results and calls
def fit_logistic(rows, target, prior, pulls, row_weights):
    names = [name for name in prior if name != "base"]
    x = np.array([[row["features"][name] for name in names] for row in rows])
    y = np.array([row[target] for row in rows], float)
    w = np.array(row_weights)
    mean = np.average(x, axis=0, weights=w)
    spread = np.sqrt(np.average((x - mean) ** 2, axis=0, weights=w)) + 1e-6
    z, start = (x - mean) / spread, np.array([prior[name] for name in names])
    pull = np.array([pulls(name) for name in names])

    def loss(b):
        odds = b[0] + z @ b[1:]
        apart = b[1:] - start * spread
        off = w * (1 / (1 + np.exp(-odds)) - y)
        value = (w * (np.logaddexp(0, odds) - y * odds)).sum() + (pull * apart ** 2).sum()
        return value, np.r_[off.sum(), z.T @ off + 2 * pull * apart]

    b, _ = minimise(loss, np.r_[prior["base"] + start @ mean, start * spread], 200)
    slopes = b[1:] / spread
    return {"base": float(b[0] - slopes @ mean), **dict(zip(names, map(float, slopes)))}


def set_topics(snaps, link):
    for snap in snaps:
        model.add_topic(snap, model.topics(snap["pairs"], snap["last"], link))


class Rows:
    """The candidates of many snapshots as columns."""

    def __init__(self, snaps, result, call):
        rows = [(number, row) for number, snap in enumerate(snaps) for row in snap["rows"]]
        column = lambda make, kind=float: np.array([make(row) for _, row in rows], kind)
        self.snap = np.array([number for number, _ in rows])
        self.odds = column(lambda row: model.dot(result, row["features"]))
        self.price_cut, self.price_removed = (column(lambda row: model.price(row, removed)) for removed in (False, True))
        self.call_score = column(lambda row: model.dot(call, row["features"]))
        self.freed, self.need = column(lambda row: row["freed"]), column(lambda row: row["need"])
        self.need_call, self.own = column(lambda row: row["need_call"]), column(lambda row: row["own"], bool)
        self.mutating = column(lambda row: row["mutating"], bool)
        self.kind, self.domain, self.group = (np.array([snap[k] for snap in snaps]) for k in ("kind", "domain", "group"))
        self.chars = np.array([snap["chars"] for snap in snaps], float)

    def scores(self, call_shift):
        """Log-odds less the price, where calls below the shift go altogether."""
        removed = ~self.mutating & (self.call_score < call_shift)
        return self.odds - np.where(removed, self.price_removed, self.price_cut)

    def pool(self, name):
        """-> which snapshots, which rows"""
        snaps = np.isin(self.kind, POOLS[name])
        if name == "hard service":
            snaps &= self.domain == "service"
        return snaps, snaps[self.snap]

    def join(self, other):
        self.snap = np.r_[self.snap, other.snap + len(self.kind)]
        for name in ("score", "call_score", "freed", "need", "need_call", "own", "mutating", "kind", "domain", "group", "chars"):
            setattr(self, name, np.r_[getattr(self, name), getattr(other, name)])
        return self


def shift_for(score, need, pools, allowed):
    """The boldest shift at which no pool loses more than allowed. pools: (rows, factor on the allowance)."""
    shifts = []
    for rows, factor in pools:
        order = np.argsort(score[rows], kind="stable")
        lost = np.cumsum(need[rows][order]) / max(1.0, need[rows].sum())
        over = np.nonzero(lost > factor * allowed)[0]
        shifts.append(score[rows][order][over[0]] if len(over) else score[rows].max())
    return float(min(shifts))


def fit(sessions, names, rarity, seed, scale):
    cases = Joiner(sessions, names, seed, scale).cases()
    mixed = snapshots(sessions, cases, rarity, "mix", seed)
    dense = snapshots(sessions, [case for case in cases if case["kind"] == "single"], rarity, dense=True)
    link = fit_link(mixed)
    set_topics(mixed, link)
    set_topics(dense, link)
    weighted = [(row, weight) for snaps, weight in ((dense, 1.0), (mixed, 0.3)) for snap in snaps for row in snap["rows"]]
    long = [(row, weight) for row, weight in weighted if row["freed"] > 0]
    result = fit_logistic([row for row, _ in long], "need", PRIOR, lambda n: PULL_STUDY if n in FROM_STUDY else PULL_NEW,
                          [weight for _, weight in long])
    free = [(row, weight) for row, weight in weighted if not row["mutating"]]
    call = fit_logistic([row for row, _ in free], "need_call", CALL_PRIOR, lambda n: PULL_NEW, [weight for _, weight in free])
    rows = Rows(mixed, result, call)
    limits = [(rows.pool(name)[1] & (rows.freed > 0), factor) for name, factor in LIMITED.items()]
    call_limits = [(rows.pool(name)[1] & ~rows.mutating & rows.own, 1.0) for name in ("joined", "one task")]
    shifts = {}
    for point in ALLOWED:
        call_shift = shift_for(rows.call_score, rows.need_call, call_limits, CALL_ALLOWED[point])
        shifts[point] = (shift_for(rows.scores(call_shift), rows.need, limits, ALLOWED[point]), call_shift)
    return {"link": link, "result": result, "call": call, "shifts": shifts}


# ---- the report
def measures(rows, name, weight, shares=(0.2, 0.3, 0.4, 0.5)):
    """Scores are less the shift: below 0 is dropped. `weight`: how often each snapshot counts."""
    snaps, of = rows.pool(name)
    of = of & (rows.freed > 0)
    each = weight[rows.snap[of]]
    total = max(1.0, (rows.chars * weight)[snaps].sum())
    score, freed, need = rows.score[of], rows.freed[of] * each / total, rows.need[of] * each
    needed = max(1e-9, need.sum())
    ended = ~rows.own[of]
    drop = score < 0
    order = np.argsort(score, kind="stable")
    removed, lost = np.cumsum(freed[order]), np.cumsum(need[order]) / needed
    at = [np.interp(share, removed, lost) if len(removed) and removed[-1] >= share else np.nan for share in shares]
    ended_share = freed[ended & drop].sum() / freed[ended].sum() if freed[ended].sum() else np.nan
    return [freed[drop].sum(), need[drop].sum() / needed, ended_share, *at]


def call_measures(rows, name, weight):
    snaps, of = rows.pool(name)
    of = of & ~rows.mutating
    each, below = weight[rows.snap[of]], rows.call_score[of] < 0
    own, need = rows.own[of], rows.need_call[of]
    share = lambda which, of_these: (each * which)[of_these].sum() / max(1e-9, each[of_these].sum())
    return [share(below, ~own) if (~own).any() else np.nan, share(below, own), share(below, own & (need > 0))]


def interval(measure, rows, name, boot, chance):
    groups = np.unique(rows.group[rows.pool(name)[0]])
    number = {group: index for index, group in enumerate(groups)}
    of = np.array([number.get(group, -1) for group in rows.group])
    base, drawn = measure(rows, name, np.ones(len(of))), []
    for _ in range(boot):
        counts = np.bincount(chance.integers(len(groups), size=len(groups)), minlength=len(groups))
        drawn.append(measure(rows, name, np.where(of >= 0, counts[of], 0).astype(float)))
    low, high = np.nanpercentile(np.array(drawn), [2.5, 97.5], axis=0) if boot else (base, base)
    return base, low, high


def report(rows, boot):
    chance = np.random.default_rng(7)
    print("pool           needed  removed            lost               ended dropped      lost at 20 / 30 / 40 / 50 % removed")
    for name in POOLS:
        snaps, of = rows.pool(name)
        if not snaps.any():
            continue
        base, low, high = interval(measures, rows, name, boot, chance)
        cell = lambda i: f"{100 * base[i]:5.1f} [{100 * low[i]:.1f}-{100 * high[i]:.1f}]" if base[i] == base[i] else "-"
        print(f"{name:14s} {int(rows.need[of & (rows.freed > 0)].sum()):6d}  " + "  ".join(f"{cell(i):17s}" for i in range(3))
              + "  " + " / ".join(cell(i) for i in range(3, 7)))
    print("calls that change nothing, below the line: of ended tasks, of the running one, needed ones of the running one")
    for name in ("aba", "hard", "easy", "one task"):
        base, low, high = interval(call_measures, rows, name, boot, chance)
        print(f"{name:14s} " + "  ".join(f"{100 * base[i]:5.1f} [{100 * low[i]:.1f}-{100 * high[i]:.1f}]" for i in range(3)))


def held_rows(sessions, names, rarity, fitted, seed, scale, goals, point):
    snaps = snapshots(sessions, Joiner(sessions, names, seed, scale).cases(), rarity, goals)
    set_topics(snaps, fitted["link"])
    rows = Rows(snaps, fitted["result"], fitted["call"])
    result_shift, call_shift = fitted["shifts"][point]
    rows.score = rows.scores(call_shift) - result_shift
    rows.call_score -= call_shift
    return rows


def show(fitted):
    for part in ("link", "result", "call"):
        print(f"{part.upper()} = {{" + ", ".join(f'"{name}": {value:.3f}' for name, value in fitted[part].items()) + "}")
    print("SHIFTS = {" + ", ".join(f'"{p}": ({r:.2f}, {c:.2f})' for p, (r, c) in fitted["shifts"].items()) + "}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1.0, help="how many joined chats, 1 = about 670 cases a side")
    parser.add_argument("--boot", type=int, default=200)
    parser.add_argument("--final", action="store_true")
    options = parser.parse_args()
    sessions = load(options.sessions)
    rarity, side = Rarity(sessions), split(sessions, options.seed)
    if options.final:
        return show(fit(sessions, sorted(sessions), rarity, options.seed, 2 * options.scale))
    halves = [[name for name in sorted(sessions) if side[name] == half] for half in (0, 1)]
    fits = []
    for half in (0, 1):
        fits.append(fit(sessions, halves[half], rarity, 100 * options.seed + half, options.scale))
        print(f"fitted on half {half}")
        show(fits[half])
    for goals, point in (("task", "careful"), ("task", "balanced"), ("task", "firm"), ("vague", "balanced")):
        rows = None
        for half in (0, 1):
            held = held_rows(sessions, halves[1 - half], rarity, fits[half], 100 * options.seed + 1 - half, options.scale,
                             goals, point)
            rows = rows.join(held) if rows else held
        print(f"\nheld, goal rule {goals}, {point}")
        report(rows, options.boot)


if __name__ == "__main__":
    main()
