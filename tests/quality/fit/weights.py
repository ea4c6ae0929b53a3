"""The weights, as fit.py prints them. The same numbers stand in src/local/weights.rs."""

# Link of a later segment to an earlier one.
LINK = {
    "base": -0.8, "known_ev": 9.7, "known_words": -2.8, "cosine": 19.0, "ev_mass": -0.7, "back_ev": 11.0,
    "agent_cosine": -12.5, "agent_shared": 0.45,
}
# A topic counts as at least this much in its logarithm.
LOWEST_TOPIC = 0.02
# Characters that an output counts as at least when it is wholly off topic.
FLOOR = 2000.0
# Log-odds that the full output is needed.
RESULT = {
    "base": -2.475, "unspoken": 0.547, "list": -2.47, "search": -0.824, "age_on": -0.412, "age_off": -1.0,
    "topic_log": 2.0, "same_later": -1.393, "superseded": -1.331, "changes_since": -0.48, "mutating": -1.43,
}
# Log-odds that the call is needed.
CALL = {
    "base": -0.643, "age_on": -0.285, "age_off": -1.3, "topic_log": 1.0, "input": -0.107, "path": -0.029,
    "same_later": -2.597, "list": -1.593, "search": -1.907,
}
# (for results, for calls)
SHIFTS = {"careful": (-14.2, -5.88), "balanced": (-13.3, -4.35), "firm": (-12.4, -3.67)}
