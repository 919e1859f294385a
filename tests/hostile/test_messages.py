"""A message is one line of text, whatever a name, an option or a header holds."""

import os

import pytest

NAMES = [b"a\nb.tif", b"a\x1b[2Jb.tif", b"caf\xe9.tif", b"\xff\xfe.tif", b"a\x7f\xc2\x9bb.tif"]


def is_one_line(message):
    return message.endswith("\n") and message[:-1].isprintable()


@pytest.mark.parametrize("name", NAMES)
def test_a_name_cannot_break_a_line_or_steer_a_terminal(tamis, name):
    result = tamis("info", os.fsdecode(name), check=False, text=False)
    message = result.stderr.decode()  # UTF-8 or an exception
    assert result.returncode == 2 and is_one_line(message) and "No such file" in message


def test_nor_can_the_value_of_an_option(tamis):
    for arguments in (["element", "disk:\x1b[31m"], ["element", "disk:5", "--colour\n\x1b[31m"], ["in\x1bfo"]):
        message = tamis(*arguments, check=False).stderr
        assert is_one_line(message), message


def test_nor_can_a_header(tamis, tmp_path):
    (tmp_path / "a.nrrd").write_bytes(b"NRRD0004\ntype: \x1b[31m\xff\ndimension: 2\nsizes: 1 1\nencoding: raw\n\nx")
    message = tamis("info", "a.nrrd", check=False, text=False).stderr.decode()
    assert is_one_line(message), message


def test_python_gets_a_message_of_text(tmp_path):
    tamis = pytest.importorskip("tamis")
    with pytest.raises(tamis.InputError, match="disk:caf"):
        tamis.erode([[1, 2], [3, 4]], "disk:caf\x1b\n")
