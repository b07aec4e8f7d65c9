"""The table and the JSON form of a comparison."""
import json
import os
import sys

import figures
import machine


def ratio_text(one):
    return f"{one['ratio']:.3f} [{one['low']:.3f}, {one['high']:.3f}]"


def outputs_text(outputs):
    """The peer that is farthest from Braid, by name unless all agree."""
    if not outputs:
        return "-"
    name = max(outputs, key=lambda peer: outputs[peer]["difference"])
    worst = outputs[name]
    if worst["verdict"] == "agrees":
        return f"agrees {worst['difference']:.1e}"
    return f"{name} {worst['verdict']} {worst['difference']:.1e} in output {worst['output']}"


def model_row(result, peers):
    contenders = result["contenders"]
    cells = [result["model"]]
    for name in ["braid", *peers]:
        cells.append(f"{contenders[name]['p20_ms']:.2f}" if name in contenders else "-")
    for name in peers:
        cells.append(ratio_text(result["ratios"][name]) if name in result["ratios"] else "-")
    for field, scale, digits in (("memory_bytes", 1e6, 0), ("first_answer_s", 1, 2)):
        cells.append(" / ".join(f"{contenders[name][field] / scale:.{digits}f}" if name in contenders else "-"
                                for name in ["braid", *peers]))
    cells.append(outputs_text({name: one for name, one in result["outputs"].items() if name not in result["left_out"]}))
    return cells


def print_rows(rows, out):
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip(), file=out)


def print_table(document, out):
    peers = [name for name in document["contenders"] if name != "braid"]
    mark = " (stand-in)" if document["stand_in"] else ""
    print(machine.text(document["machine"]) + (f"; limited to {document['isa']}" if mark else ""), file=out)
    head = ["model", "braid ms", *(f"{name}{mark} ms" for name in peers), *(f"{name}{mark} ÷ braid" for name in peers),
            "MB " + " / ".join(["braid", *peers]), "first answer s", "outputs"]
    print_rows([head, *(model_row(result, peers) for result in document["results"])], out)
    for name, mean in document["geometric_means"].items():
        print(f"geometric mean of {name}{mark} ÷ braid: {ratio_text(mean)}", file=out)
    for name, reason in document["left_out"].items():
        print(f"{name} is left out: {reason}", file=out)
    for result in document["results"]:
        for name, reason in result["left_out"].items():
            print(f"{result['model']}: {name} is left out: {reason}", file=out)
        for name, message in result["failures"].items():
            print(f"{result['model']}: {name} failed: {message}", file=out)


def geometric_means(rows):
    """The means over the models that both ran, of each peer and of the better peer of each model."""
    groups = {}
    for result, ratios in rows:
        for name, one in ratios.items():
            groups.setdefault(name, []).append(one)
        if ratios:
            groups.setdefault("best peer", []).append(ratios[result["best_peer"]])
    return {name: figures.geometric_mean(group).as_json() for name, group in groups.items()}


def document(rows, options):
    return {
        "benchmark": "peers",
        "command": " ".join(sys.argv),
        "machine": options.machine,
        "isa": options.isa or options.machine["instruction_set"],
        "stand_in": options.is_stand_in,
        "cores": len(os.sched_getaffinity(0)),
        "pinned_to": options.cores,
        "threads": options.threads,
        "callers": options.callers,
        "clock": options.clock,
        "scheduler": options.scheduler,
        "contenders": options.contenders,
        "left_out": options.left_out,
        "results": [result for result, _ in rows],
        "geometric_means": geometric_means(rows),
    }


def write(rows, options):
    made = document(rows, options)
    if options.json == "-":
        print(json.dumps(made, indent=2))
        return
    what = f"{options.callers} callers, ms per inference" if options.callers > 1 else f"20th percentiles of ms ({options.clock} time)"
    print(f"\n{options.threads} threads, all contenders pinned to the cores {options.cores}; {what}; "
          "ratios above 1: Braid is faster")
    print_table(made, sys.stdout)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(made, file, indent=2)
