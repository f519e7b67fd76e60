"""The header of an emitted file."""

from pathlib import Path

from yota_ast.codegen.printers.templates import render


def test_header(golden):
    text = render(
        "header.py",
        version="0.1.0",
        target="mypkg.model:loss",
        command="yota-ast emit mypkg.model:loss --wrt w,b -o mypkg/loss_grad.py",
        source_sha256="3f0c",
        body_sha256="91ab",
    )
    golden(Path(__file__).with_name("header.txt"), text)
