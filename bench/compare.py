"""Runs both programs by turns and prints the ratio of their best rates; see compare.sh."""

import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SHAPES = ["sst", "beer", "snli"]
# A second way to write the peer, faster than the plain one.
VARIANTS = {"beer": "unbind", "snli": "bucketed"}
TASKS = ["train", "predict"]


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{result.stderr}")
    return json.loads(result.stdout)


def ours(program, shape, task, device):
    return run([program, "bench", "--shape", shape, "--task", task, "--rounds", "3", "--device", device, "--json", "-"])


def peer(shape, task, threads, device):
    script = os.path.join(HERE, "peer", "run.py")
    # One round of the peer's Beer training takes up to a minute, which is long enough to measure.
    rounds = 1 if shape.startswith("beer") and task == "train" else 3
    out = run([sys.executable, script, "--shape", shape, "--task", task, "--threads", str(threads),
               "--rounds", str(rounds), "--device", device])
    return out["examples_per_second"]


def main():
    parser = argparse.ArgumentParser(prog="compare.sh")
    parser.add_argument("--hardkuma", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--shape", choices=SHAPES, action="append", help="default: all")
    parser.add_argument("--rounds", type=int, default=3, help="best of so many")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu", help="of both")
    parser.add_argument("--json", help="write the ratios to this file")
    args = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    threads = sorted({1, cores}) if args.device == "cpu" else [1]
    best = {}
    gemm = 0.0
    for round_number in range(args.rounds):
        for shape in args.shape or SHAPES:
            for task in TASKS:
                print(f"round {round_number + 1} of {args.rounds}: {shape}, {task}", file=sys.stderr)
                mine = best.setdefault((shape, task), {"ours": 0.0, "gflops": 0.0, "peer": 0.0})
                result = ours(args.hardkuma, shape, task, args.device)
                where = result["device"] if args.device == "cuda" else f"{cores} cores"
                gemm = max(gemm, result["gemm_gflops"])
                if result[shape][task] > mine["ours"]:
                    mine["ours"] = result[shape][task]
                    mine["gflops"] = result[shape][task + "_gflops"]
                for count in threads:
                    rate = peer(shape, task, count, args.device)
                    if rate > mine["peer"]:
                        mine["peer"], mine["threads"] = rate, count
                if shape in VARIANTS:
                    rate = peer(f"{shape}-{VARIANTS[shape]}", task, threads[-1], args.device)
                    mine["variant"] = max(mine.get("variant", 0.0), rate)
    print(f"\n{where}, large matrix products: {gemm:.0f} GFLOP/s; examples a second, best of {args.rounds}\n")
    print("| | hardkuma | of GEMM | plain PyTorch | ratio |")
    print("|---|---|---|---|---|")
    out = {}
    for (shape, task), rate in best.items():
        ratio = rate["ours"] / rate["peer"]
        out.setdefault(shape, {})[task] = round(ratio, 2)
        plural = "s" if rate["threads"] > 1 else ""
        print(f"| {shape}, {task} | {rate['ours']:,.0f} | {100 * rate['gflops'] / gemm:.0f}% | "
              f"{rate['peer']:,.0f} ({rate['threads']} thread{plural}) | {ratio:.1f}× |")
        if "variant" in rate:
            ratio = rate["ours"] / rate["variant"]
            out[shape][f"{task}_{VARIANTS[shape]}"] = round(ratio, 2)
            print(f"| {shape}, {task}, peer {VARIANTS[shape]} | | | {rate['variant']:,.0f} ({threads[-1]} threads) | "
                  f"{ratio:.1f}× |")
    out["gemm_gflops"] = round(gemm, 1)
    if args.json:
        with open(args.json, "w") as file:
            file.write(json.dumps(out) + "\n")


if __name__ == "__main__":
    main()
