"""`python -m tests.constructs.report [NAME ...]`: what is right, in which contexts.

-v prints whole texts, -q leaves out all but the usual text.
"""

import os
import re
import sys
import time
import traceback
import warnings

import numpy as np

from yota_ast.errors import InternalError, YotaError

from .running import check
from .sections import TABLE
from .table import functions

MODES = (("all", False), ("none", False), ("all", True))


def outcome(one, function, passes, general):
    os.environ["YOTA_AST_PASSES"] = passes
    try:
        check(one, function, general=general)
    except InternalError as error:
        return f"CRASH {error}\n{traceback.format_exc()}"
    except YotaError as error:
        return f"refused {error}"
    except AssertionError as error:
        return f"WRONG {error}"
    except Exception as error:
        return f"ERROR {type(error).__name__}: {error}\n{traceback.format_exc()}"
    return ""


def main(wanted, options):
    warnings.simplefilter("error")
    right = total = 0
    modes = MODES[:1] if "-q" in options else MODES
    for entry in TABLE:
        if wanted and not any(w in (entry.section, entry.name) for w in wanted):
            continue
        started, bad = time.time(), {}
        for k, one in enumerate(entry.forms):
            for function in functions(one):
                for passes, general in modes:
                    if general and not one.general:
                        continue
                    got = outcome(one, function, passes, general)
                    if not got:
                        continue
                    mode = "general" if general else passes
                    if "-v" in options:
                        print(function.text)
                    short = re.sub("(?m)^(refused )?<.*?>:[0-9:]* ", "", got)
                    short = short if "-v" in options else short.splitlines()[0]
                    bad.setdefault((k, mode, short), []).append(function.context)
                    break
        facts = [key for key in bad if key[1] != "general"]
        if entry.listed:
            total += 1
            right += not facts and not any(
                f.refused.keys() - {"general"} for f in entry.forms
            )
        print(f"{'ok ' if not bad else 'gen' if not facts else 'BAD'} {entry.name}"
              f" ({time.time() - started:.1f}s)", flush=True)  # fmt: skip
        for (k, mode, text), contexts in bad.items():
            where = "everywhere" if len(contexts) > 5 else ", ".join(contexts)
            print(f"      form {k} [{mode}] {where}: {text}")
    print(f"{right} of {total} listed right in all contexts")


if __name__ == "__main__":
    np.seterr(all="ignore")
    given = sys.argv[1:]
    main([a for a in given if a[0] != "-"], [a for a in given if a[0] == "-"])
