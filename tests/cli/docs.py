"""Checks README.md and docs/*.md: links, width, and that every command in a ```sh block runs.

docs.py SOURCE check             links resolve, prose within 120 columns, no command outside ```sh
docs.py SOURCE commands PAGE     the commands of a page, one per line
"""
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
pages = [source / "README.md", source / "CHANGELOG.md", source / "CONTRIBUTING.md",
         *sorted((source / "docs").glob("*.md"))]
faults = []


def blocks(text):
    """(language, first line, content) of each fenced block."""
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.S | re.M):
        yield match.group(1), text[: match.start()].count("\n") + 1, match.group(2)


def commands(text):
    for language, _, content in blocks(text):
        if language != "sh":
            continue
        for line in content.replace("\\\n", " ").splitlines():
            line = re.sub(r"\s+#\s.*", "", line).strip()
            if line and not line.startswith("#"):
                yield line


def slug(heading):
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def check(page):
    text = page.read_text(encoding="utf8")
    name = page.relative_to(source)
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            inside = not inside
        elif not inside and not line.startswith("|") and len(line) > 120:
            faults.append(f"{name}:{number}: {len(line)} columns")
    for language, line, content in blocks(text):
        if language != "sh" and re.search(r"^(\$ )?hardkuma [a-z]", content, re.M):
            faults.append(f"{name}:{line}: commands in a block that no test runs; mark it ```sh")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"[a-z]+://", target):
            continue
        path, _, anchor = target.partition("#")
        other = (page.parent / path).resolve() if path else page
        if not other.exists():
            faults.append(f"{name}: broken link {target}")
        elif anchor and anchor not in map(slug, re.findall(r"^#+ (.*)$", other.read_text(encoding="utf8"), re.M)):
            faults.append(f"{name}: no heading for {target}")
    for target in re.findall(r"`((?:docs|scripts|bench|tests|src|include|examples|tools)/[\w/.*-]+)`", prose):
        if not list(source.glob(target.rstrip("/"))):
            faults.append(f"{name}: no such file: {target}")
    for command in commands(text):
        for script in re.findall(r"(?:^|\s)\./(\S+\.sh)", command):
            if not (source / script).exists():
                faults.append(f"{name}: no such script: {script}")


if sys.argv[2] == "commands":
    print("\n".join(commands((source / sys.argv[3]).read_text(encoding="utf8"))))
else:
    for page in pages:
        check(page)
    index = (source / "docs/README.md").read_text(encoding="utf8")
    for page in pages[3:]:
        if page.name != "README.md" and f"({page.name})" not in index:
            faults.append(f"docs/README.md: lacks {page.name}")
    readme = (source / "README.md").read_text(encoding="utf8").count("\n")
    if readme > 130:
        faults.append(f"README.md: {readme} lines, of at most 130")
    print("\n".join(faults))
    sys.exit(1 if faults else 0)
