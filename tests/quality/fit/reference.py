"""Decisions of the model for snapshots written by `eval.py --dump`, one a line: {"id","p_call","p_result"}.

python3 reference.py DUMP.jsonl OUT.jsonl [careful|balanced|firm]
"""

import json
import sys

from model import decisions


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    point = sys.argv[3] if len(sys.argv) > 3 else "balanced"
    with open(sys.argv[1]) as dump, open(sys.argv[2], "w") as out:
        for line in dump:
            snap = json.loads(line)
            decided = decisions(snap["messages"], snap["preserve_recent_messages"], snap["goal"], point)
            for call in snap["candidates"]:
                p_call, p_result = decided[call]
                out.write(json.dumps({"id": f"{snap['id']}:{call}", "p_call": p_call, "p_result": p_result}) + "\n")


if __name__ == "__main__":
    main()
