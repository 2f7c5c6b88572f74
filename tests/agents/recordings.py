"""What decisions and payloads may look like: for the tests of adapters."""

from hypothesis import strategies as st

from automode.core.decision import Decision, Failure, Verdict

decisions = st.builds(
    Decision,
    verdict=st.sampled_from(Verdict),
    source=st.text(max_size=20),
    reason=st.text(max_size=80),
    advice=st.text(max_size=80),
    clearable=st.booleans(),
    error=st.none() | st.sampled_from(Failure),
    enforced=st.booleans(),
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
