from __future__ import annotations

import pytest

from memlab.sandbox.inside import seccomp


@pytest.mark.parametrize("machine_name", seccomp.MACHINES)
def test_the_system_call_filter_gives_the_same_verdicts_on_every_machine(machine_name: str) -> None:
    column, kind = seccomp.MACHINES[machine_name]
    code = seccomp.program(machine_name, 42, pretend=True)

    def verdict(number: int | None, first: int = 0, second: int = 0, on: int = kind) -> int:
        return run(
            code, {seccomp.NUMBER: number or 0, seccomp.MACHINE: on, seccomp.FIRST: first, seccomp.SECOND: second}
        )

    no, yes, pretended = seccomp.REFUSE | 1, seccomp.ALLOW, seccomp.REFUSE
    for numbers in seccomp.FORBIDDEN.values():
        assert numbers[column] is None or verdict(numbers[column]) == no
    for numbers in seccomp.PRETENDED.values():
        assert numbers[column] is None or verdict(numbers[column]) == pretended
    for numbers in seccomp.OWN.values():
        assert (verdict(numbers[column], 42), verdict(numbers[column], 41)) == (yes, no)
        assert verdict(numbers[column], 0xFFFFFFFF) == no, "that is kill(-1)"
    limit, control, pair = seccomp.PRLIMIT[column], seccomp.PRCTL[column], seccomp.SOCKETPAIR[column]
    assert [verdict(limit, one) for one in (0, 42, 1)] == [yes, yes, no]
    assert [verdict(control, one) for one in (38, 1)] == [yes, no]
    assert [verdict(pair, 1, one) for one in (1, 0o2000001, 2, 5)] == [yes, yes, no, no]
    assert verdict({"x86_64": 0, "aarch64": 63}[machine_name]) == yes, "to read"
    assert verdict(0, on=0x40000003) == seccomp.KILL, "another machine's numbers mean other calls"
    assert verdict(0x40000000 + 57) == seccomp.KILL


def run(code: seccomp.Code, call: dict[int, int]) -> int:
    """Run a filter as the kernel does."""
    at = value = 0
    while True:
        kind, then, otherwise, number = code[at]
        at += 1
        if kind == seccomp.RETURN:
            return number
        if kind == seccomp.LOAD:
            value = call[number]
        elif kind == seccomp.AND:
            value &= number
        else:
            at += then if (value == number if kind == seccomp.EQUAL else value >= number) else otherwise
