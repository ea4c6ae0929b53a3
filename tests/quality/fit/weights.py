"""The weights, as fit.py prints them. The same numbers stand in src/local/weights.rs."""

# Link of a later segment to an earlier one.
LINK = {
    "base": -0.292, "known_ev": 10.086, "known_words": -2.581, "cosine": 16.498, "ev_mass": -0.869,
    "back_ev": 12.004, "agent_cosine": -10.858, "agent_shared": 0.714,
}
# A topic counts as at least this much in its logarithm.
LOWEST_TOPIC = 0.02
# Log-odds that the full output is needed.
RESULT = {
    "base": -1.606, "unspoken": 0.547, "list": -2.465, "search": -0.825, "age_on": -0.412, "age_off": -0.727,
    "topic_log": 1.773, "same_later": -1.393, "superseded": -1.331, "changes_since": -0.637, "mutating": -1.795,
}
# Log-odds that the call is needed.
CALL = {
    "base": 0.307, "age_on": -0.579, "age_off": -1.201, "topic_log": 0.915, "input": -0.253, "path": -0.372,
    "same_later": -1.431, "list": -0.570, "search": -2.060,
}
# (for results, for calls)
SHIFTS = {"careful": (-13.09, -5.59), "balanced": (-12.46, -5.39), "firm": (-11.74, -4.08)}
