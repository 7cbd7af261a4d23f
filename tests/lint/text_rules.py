"""Rules on files as text: lengths, words that stay out, scripts that parse, one library for each folder."""

import py_compile
import re
import subprocess
import tempfile

AIM, LIMIT = 300, 600  # lines of a source file; a test may have all 600
MACHINE_PATH = re.compile(r"(?<![\w.}$/*)>-])/(?:work|root|home)\b(?!:)")
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME)\b")
LIBRARY = re.compile(r"^\s*(?:ksched_library|ksched_plugin|add_library)\s*\(", re.MULTILINE)
PROGRAM = re.compile(r"^\s*add_executable\s*\(", re.MULTILINE)


def project_files(root):
    """Every file that is, or would be, in the repository."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root, check=True, capture_output=True).stdout
    paths = [root / name for name in sorted(listed.decode().split("\0")) if name]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def sources(root):
    return [path for path in project_files(root) if path.suffix in (".h", ".cc")]


def lengths(root):
    """Problems (over the limit), and notes (over what is aimed at)."""
    problems, notes = [], []
    for path in project_files(root):
        if path.suffix not in (".h", ".cc", ".py", ".sh") and path.name != "dev":
            continue
        lines = path.read_bytes().count(b"\n")
        name = path.relative_to(root)
        if lines > LIMIT:
            problems.append(f"{name}: {lines} lines, {LIMIT} at most: split its idea")
        elif lines > AIM and "_test." not in path.name:
            notes.append(f"{name}: {lines} lines, {AIM} are aimed at")
    return problems, notes


def words(root):
    """Lines with a path of somebody's machine, or that say that something is unfinished."""
    problems = []
    for path in project_files(root):
        name = str(path.relative_to(root))
        if name.startswith(("testdata/", "tests/oracle/examples/", "tests/fuzz/corpus/")) or name.endswith((".sum", ".gz")):
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if MACHINE_PATH.search(line):
                problems.append(f"{name}:{number}: a path of one machine: {line.strip()[:100]}")
            if UNFINISHED.search(line):
                problems.append(f"{name}:{number}: unfinished: {line.strip()[:100]}")
    return problems


def scripts(root):
    """Python files that do not compile and shell scripts that do not parse."""
    problems = []
    for path in project_files(root):
        first = path.read_bytes()[:64].split(b"\n")[0]
        if path.suffix == ".py" or (first.startswith(b"#!") and b"python" in first):
            problems += _python(path)
        elif path.suffix == ".sh" or (first.startswith(b"#!") and first.rstrip().endswith((b"bash", b"/sh"))):
            done = subprocess.run(["bash", "-n", path], capture_output=True, text=True)
            problems += done.stderr.splitlines() if done.returncode else []
    return problems


def _python(path):
    with tempfile.NamedTemporaryFile(suffix=".pyc") as compiled:
        try:
            py_compile.compile(str(path), cfile=compiled.name, doraise=True)
        except py_compile.PyCompileError as error:
            return [str(error).strip()]
    return []


def libraries(root):
    """Folders with sources that are not exactly one library: those of src and of src/plugins. app has programs too."""
    problems = []
    folders = [path for path in (root / "src").iterdir() if path.is_dir()] + [path for path in (root / "src/plugins").glob("*") if path.is_dir()]
    for folder in sorted(folders):
        if not any(path.suffix in (".cc", ".h") for path in folder.glob("*")):
            continue
        made = folder / "CMakeLists.txt"
        text = made.read_text() if made.exists() else ""
        count = len(LIBRARY.findall(text))
        if count != 1 and not (folder.name == "app" and PROGRAM.search(text)):
            problems.append(f"{folder.relative_to(root)}: its CMakeLists.txt makes {count} libraries; a folder is one library")
    return problems
