#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the small files in corpus/{idx,npy,npz,csv} that fuzzing starts from.

The same bytes each time; run it again after a change:
    python3 tests/fuzz/make_corpus.py
"""
import gzip
import io
import pathlib
import struct
import zipfile

FOLDER = pathlib.Path(__file__).resolve().parent / "corpus"


def write(name, data):
    path = FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def idx(code, shape, data):
    return struct.pack(f">HBB{len(shape)}I", 0, code, len(shape), *shape) + data


def npy(text, data, version=1):
    head = text.encode("latin-1")
    length = struct.pack("<H" if version == 1 else "<I", len(head))
    return b"\x93NUMPY" + bytes([version, 0]) + length + head + data


def npz(method, members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = method
            # As NumPy does it.
            with archive.open(info, "w", force_zip64=True) as member:
                member.write(data)
    return out.getvalue()


def make_idx():
    images = idx(0x08, (3, 2, 3), bytes(range(18)))
    write("idx/images", images)
    write("idx/images.gz", gzip.compress(images, mtime=0))
    write("idx/labels", idx(0x08, (2,), b"\x07\x09"))
    write("idx/float", idx(0x0D, (2, 2), struct.pack(">4f", 1, -2, 0.5, 3)))
    write("idx/double", idx(0x0E, (2,), struct.pack(">2d", 1, 1e300)))
    write("idx/short", idx(0x0B, (2, 1), struct.pack(">2h", 1, -2)))
    write("idx/large", idx(0x08, (0xFFFFFFFF, 0xFFFFFFFF, 7), b"\x01"))


def make_npy():
    fortran = struct.pack("<6f", 1, 4, 2, 5, 3, 6)
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n"
    members = {
        "fortran": npy(text % ("<f4", True, "(2, 3)"), fortran),
        "big": npy(text % (">i8", False, "(2,)"), struct.pack(">2q", 1, -2)),
        "half": npy(text % ("<f2", False, "(2, 1)"), struct.pack("<2e", 1, 2)),
        "truth": npy(text % ("|b1", False, "(3,)"), b"\x01\x00\x01", 2),
        "version3": npy(text % ("|u1", False, "(1, 2)"), b"\x01\x02", 3),
        "object": npy(text % ("|O", False, "(1,)"), b"\x80\x04N."),
        "scalar": npy(text % ("<f4", False, "()"), struct.pack("<f", 1)),
    }
    for name, data in members.items():
        write(f"npy/{name}", data)
    pair = {"x.npy": members["fortran"], "labels.npy": members["truth"]}
    write("npz/stored", npz(zipfile.ZIP_STORED, pair))
    write("npz/packed", npz(zipfile.ZIP_DEFLATED, pair))
    write("npz/empty", npz(zipfile.ZIP_STORED, {}))


def make_csv():
    write("csv/plain", b"1,2,0\n3,4,1\n")
    write("csv/header", b"\xef\xbb\xbfb;a;label\r\n1;2.5;0\r\n-3e2;?;1\r\n")
    write("csv/quotes", b'"1","say ""x""\nor y",0\n 2 ,,\n\n')
    write("csv/long", b"0.1234567890123456789e-5,2\n1e999,3\n")
    write("csv/ragged", b"1,2\n3\n\n4,5\n")


if __name__ == "__main__":
    make_idx()
    make_npy()
    make_csv()
