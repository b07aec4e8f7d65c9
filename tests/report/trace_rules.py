"""What a trace in Chrome's JSON keeps to, so that no viewer drops, moves or merges anything."""
import collections


def nanoseconds(microseconds):
    whole = round(microseconds * 1000)
    assert abs(whole - microseconds * 1000) < 1e-3, f"{microseconds} us are no whole nanoseconds"
    return whole


def check(events):
    """Raises AssertionError with the event that breaks a rule. Returns events by phase."""
    phases = collections.defaultdict(list)
    for event in events:
        phases[event["ph"]].append(event)
    assert set(phases) <= set("MXsfC"), sorted(phases)
    check_ids(events, phases["M"])
    times = [event["ts"] for event in events if event["ph"] != "M"]
    assert times == sorted(times), "events are not in the order of time"
    rows = check_rows(phases["X"])
    check_arrows(phases["s"], phases["f"], rows)
    return phases


def check_ids(events, metadata):
    """Ids are positive numbers, no row has the id of a process or belongs to two, and all have names."""
    named = collections.Counter((event["name"], event["pid"], event["tid"]) for event in metadata)
    processes = {event["pid"] for event in events}
    owners = {}
    for event in events:
        assert 0 < event["pid"] < 2**31, event
        if event["ph"] == "C":
            continue
        row = event["tid"]
        assert 0 < row < 2**31 and row not in processes, event
        assert owners.setdefault(row, event["pid"]) == event["pid"], event
    for process in processes:
        assert sum(name == "process_name" and pid == process for name, pid, _ in named) == 1, process
    for row, process in owners.items():
        assert named["thread_name", process, row] == 1, row


def check_rows(slices):
    """The slices of each row in order: some length each, none over another."""
    rows = collections.defaultdict(list)
    for event in slices:
        begin, length = nanoseconds(event["ts"]), nanoseconds(event["dur"])
        assert begin >= 0 and length > 0, event
        assert not rows[event["tid"]] or rows[event["tid"]][-1][1] <= begin, f"{event} overlaps the slice before it"
        rows[event["tid"]].append((begin, begin + length, event))
    return rows


def check_arrows(tails, heads, rows):
    """Each arrow leaves a slice in its last nanosecond, or where the other begins, and enters another where that begins."""
    by_id = {event["id"]: event for event in heads}
    assert len(by_id) == len(heads) == len(tails) and by_id.keys() == {event["id"] for event in tails}
    for tail in tails:
        head = by_id[tail["id"]]
        assert head["bp"] == "e" and (tail["name"], tail["cat"]) == (head["name"], head["cat"]), head
        assert tail["ts"] <= head["ts"] and tail["tid"] != head["tid"], (tail, head)
        leaves, enters = nanoseconds(tail["ts"]), nanoseconds(head["ts"])
        assert any(begin <= leaves == min(end - 1, enters) for begin, end, _ in rows[tail["tid"]]), tail
        assert any(begin == enters and event["cat"] != "wait" for begin, _, event in rows[head["tid"]]), head
