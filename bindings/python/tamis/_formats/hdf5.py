"""HDF5: which dataset is meant, what it refers to, and its samples."""

from __future__ import annotations

import itertools
import os
from typing import Any

import numpy

from .._calibrated import calibrated, number_in, unit_of
from .follow import folder_of, referred
from .._foreign import CODEC_RATIO, check_expansion, missing, need, reading, shown
from .hdf5_chunks import read_chunks
from .._native import InputError

_MOST_LINKS = 64  # what a chain of links may have: they can form a circle
_MOST_FILES = 16  # and of virtual datasets


def read_hdf5(name: str, dataset: str | None, lazy: bool, follow: bool) -> Any:
    """The samples; with `lazy` the open dataset. Everything it refers to is checked before a sample is read."""
    h5py = need("h5py")
    if not os.path.isfile(name):
        raise missing(name)
    with reading(name):
        book = _Book(h5py, name, follow)
        try:
            path = dataset or _the_only_one(h5py, book, name)
            found = book.dataset(name, path)
            if found.dtype.kind not in "biuf":
                raise InputError(f"{shown(name)}:{path} holds {found.dtype}; wanted bool, integers or floats")
            book.check_sources(name, found)
            if not lazy:
                check_expansion(name, found.nbytes, book.bytes(), CODEC_RATIO)
                edges, unit = _voxel(found)
                found = calibrated(read_chunks(found), edges, unit)
        except BaseException:
            book.close()
            raise
        if not lazy:
            book.close()  # otherwise the dataset keeps its file open
        return found


def _voxel(dataset: Any) -> tuple[list[float | None], str]:
    """What the program writes, `spacing` with `unit`; or `element_size_um`, as ilastik and BigDataViewer have it."""
    said = dataset.attrs.get("unit", "")
    unit = unit_of(said.decode("utf-8", "replace") if isinstance(said, bytes) else said)
    edges = dataset.attrs.get("spacing")
    if edges is None or not unit:
        edges, unit = dataset.attrs.get("element_size_um"), "um"
    lengths = [number_in(edge) for edge in numpy.ravel(edges)] if edges is not None else []
    rank = dataset.ndim
    return (lengths[-rank:], unit) if rank <= len(lengths) else ([], "")


def _the_only_one(h5py: Any, book: _Book, name: str) -> str:
    found: list[str] = []

    def note(path: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and _rank(h5py, item) > 1:
            found.append(f"/{path}")

    book.file(name).visititems(note)
    if len(found) == 1:
        return found[0]
    raise InputError(_wanted(name, found))


def _wanted(name: str, found: list[str]) -> str:
    listed = ", ".join(found[:8]) + (f" and {len(found) - 8} more" if len(found) > 8 else "")
    return f"{shown(name)}: wanted one of its datasets, {shown(name)}:NAME: {shown(listed) or 'there is none'}"


def _rank(h5py: Any, dataset: Any) -> int:
    """Without a look at the sources of a virtual dataset, as HDF5 would take to know its shape."""
    created = dataset.id.get_create_plist()
    virtual = created.get_layout() == h5py.h5d.VIRTUAL and created.get_virtual_count() > 0
    return int(created.get_virtual_vspace(0).get_simple_extent_ndims() if virtual else dataset.ndim)


class _Book:
    """The files that are open. HDF5 itself never follows a link to another file: each is looked up and opened here."""

    def __init__(self, h5py: Any, name: str, follow: bool) -> None:
        self._h5py = h5py
        self._follow = follow
        self._files: dict[str, Any] = {}
        self._other_bytes = 0
        self.file(name)

    def file(self, name: str) -> Any:
        # Under its real name: HDF5 looks for sources of virtual datasets beside the name under which it opened a file.
        path = os.path.realpath(name)
        if path not in self._files:
            self._files[path] = self._h5py.File(path, "r")
        return self._files[path]

    def close(self) -> None:
        for file in self._files.values():
            file.close()

    def bytes(self) -> int:
        return sum(os.path.getsize(path) for path in self._files) + self._other_bytes

    def dataset(self, name: str, path: str) -> Any:
        """The dataset at a path, through links; those to other files obey the rule."""
        words, group = f"{shown(name)}: no dataset {shown(path)}", self.file(name)["/"]
        file, parts, links = name, _parts(path), 0
        while parts:
            part = parts.pop(0)
            link = group.get(part, getlink=True) if isinstance(group, self._h5py.Group) else None
            if link is None:
                raise InputError(f"{words}; wanted {self._inside(group)}")
            if isinstance(link, self._h5py.HardLink):
                if not parts and group.get(part, getclass=True) is self._h5py.Dataset:
                    return self._open(file, group, part)
                group = group[part]
                continue
            links += 1
            if links > _MOST_LINKS:
                raise InputError(f"{words}: its links lead in a circle")
            if isinstance(link, self._h5py.ExternalLink):
                file = referred(file, link.filename, "an external link to a file", self._follow)
                group = self.file(file)["/"]
            elif link.path.startswith("/"):
                group = group.file["/"]
            parts = _parts(link.path) + parts
        raise InputError(f"{words}; wanted {self._inside(group)}")

    def _inside(self, group: Any) -> str:
        names = list(itertools.islice(group, 8)) if isinstance(group, self._h5py.Group) else []
        return f"one of {shown(', '.join(names))}" if names else "a dataset"

    def _open(self, file: str, group: Any, part: str) -> Any:
        # Relative names of external files lie beside the file that has them; HDF5 would look in the working directory.
        # It opens a dataset in one way only, so that one without external files is opened as everybody opens it.
        access = self._h5py.h5p.create(self._h5py.h5p.DATASET_ACCESS)
        access.set_efile_prefix(os.fsencode(folder_of(file)))
        try:
            found = group[part]
            if not found.external:
                return found
            del found
        except KeyError:  # it is open already
            pass
        return self._h5py.Dataset(self._h5py.h5d.open(group.id, os.fsencode(part), access))

    def check_sources(self, name: str, dataset: Any, above: tuple[tuple[str, str], ...] = ()) -> None:
        """That all files which hold samples of a dataset may be opened, are there and long enough.

        HDF5 takes what is missing for zeros.
        """
        file = dataset.file.filename
        self._check_external(file, dataset, above)
        created = dataset.id.get_create_plist()
        if created.get_layout() != self._h5py.h5d.VIRTUAL:
            return
        if len(above) >= _MOST_FILES or (file, dataset.name) in above:
            raise InputError(f"{shown(name)}: its virtual datasets refer to each other in a circle")
        above = (*above, (file, dataset.name))
        for i in range(created.get_virtual_count()):
            spaces = (created.get_virtual_srcspace(i), created.get_virtual_vspace(i))
            names = (created.get_virtual_filename(i), created.get_virtual_dsetname(i))
            for source_file, source in self._sources(file, *names):
                found = self.dataset(source_file, source)
                self.check_sources(name, found, above)
                self._check_extent(name, *spaces, found)

    def _check_external(self, file: str, dataset: Any, above: tuple[tuple[str, str], ...]) -> None:
        segments = dataset.external
        if not segments:
            return
        words = f"{shown(file)}: samples of {shown(dataset.name)}"
        if above:
            raise InputError(f"{words} lie in other files, and are part of a virtual dataset; wanted them in HDF5")
        wanted = dataset.id.get_space().get_simple_extent_npoints() * dataset.id.get_type().get_size()
        for reference, offset, size in segments:
            path = referred(file, reference, "samples", self._follow)
            needed, there = min(size, wanted), os.path.getsize(path)
            if offset + needed > there:
                raise InputError(f"{words} in {shown(reference)!r}: {there} bytes; wanted {offset + needed}")
            wanted -= needed
            self._other_bytes += there
        if wanted > 0:
            raise InputError(f"{words} lie in other files, which have {wanted} bytes too few")

    def _sources(self, file: str, reference: str, source: str) -> Any:
        """File and path; of names with %b, which count blocks from 0, as many as there are."""
        numbered = "%b" in reference or "%b" in source
        for block in itertools.count() if numbered else (0,):
            at, inside = (_numbered(text, block) for text in (reference, source))
            try:
                path = file if at == "." else referred(file, at, "virtual samples", self._follow)
                if numbered and block > 0 and self._named(path, inside) is None:
                    return
            except InputError:
                if numbered and block > 0 and not os.path.exists(os.path.join(folder_of(file), at)):
                    return  # the first that is missing ends the dataset
                raise
            yield path, inside

    def _named(self, path: str, inside: str) -> Any:
        return self.file(path).get(inside, getlink=True)

    def _check_extent(self, name: str, selected: Any, target: Any, source: Any) -> None:
        """HDF5 takes samples for zeros that a source is too small for."""
        kind, kinds = selected.get_select_type(), self._h5py.h5s
        if kind == kinds.SEL_NONE or _unlimited(kinds, selected) or _unlimited(kinds, target):
            return
        if kind == kinds.SEL_ALL:
            wanted, enough = target.get_select_npoints(), target.get_select_npoints() <= source.size
        else:
            wanted = selected.get_select_bounds()[1]
            enough = len(wanted) == source.ndim and all(numpy.less(wanted, source.shape))
        if not enough:
            raise InputError(
                f"{shown(name)}: virtual samples up to {wanted} of {shown(source.name)} in "
                f"{shown(source.file.filename)!r}, which has shape {source.shape}"
            )


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _numbered(text: str, block: int) -> str:
    return text.replace("%%", "\0").replace("%b", str(block)).replace("\0", "%")


def _unlimited(kinds: Any, space: Any) -> bool:
    """Whether a virtual dataset takes as much as its source has."""
    is_regular = space.get_select_type() == kinds.SEL_HYPERSLABS and space.is_regular_hyperslab()
    return is_regular and 2**64 - 1 in (number for row in space.get_regular_hyperslab() for number in row)
