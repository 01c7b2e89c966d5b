"""A matplotlib figure as SVG that can stand in the page. The only module that makes Markup.

Raw output breaks a page: its style attributes are refused by a Content-Security-Policy of hashes, its ids repeat from
chart to chart, its <style> reaches everything else, and its colours know one theme only.
"""

from __future__ import annotations

import io
import re
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator

import matplotlib
from markupsafe import Markup
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from .charts.style import COLOURS
from .text import visible

_SVG = "http://www.w3.org/2000/svg"
_XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
_DROPPED = {f"{{{_SVG}}}{name}" for name in ("style", "metadata", "title")}
_REFERENCE = re.compile(r"#([^)\s]+)")
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_FONT = re.compile(r"(?:(?P<weight>bold|\d{3}) )?(?P<size>[\d.]+)px")
# Attributes whose text is a label or an id: not to be searched for numbers and colours.
_KEPT = {"id", "class"}


def inline(figure: Figure, prefix: str, title: str, description: str) -> Markup:
    """The same figure gives the same bytes. `prefix` must be unique on the page."""
    root = _parse(_render(figure))
    _drop(root)
    for element in root.iter():
        _style_to_attributes(element)
    _rename_ids(root, prefix)
    for element in root.iter():
        _shorten(element)
    _flatten(root)
    _frame(root, prefix, title, description)
    # Serialized from a tree: every text and attribute is escaped by ElementTree, whatever the names were.
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _render(figure: Figure) -> bytes:
    FigureCanvasSVG(figure)
    buffer = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "narrowgate", "svg.fonttype": "none"}), warnings.catch_warnings():
        # The browser picks the font; that matplotlib's own lacks a glyph only makes a label's width an estimate.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(buffer, format="svg", metadata={"Date": None}, transparent=True)
    return buffer.getvalue()


def _parse(svg: bytes) -> ElementTree.Element:
    ElementTree.register_namespace("", _SVG)
    return ElementTree.fromstring(svg)


def _drop(element: ElementTree.Element) -> None:
    for child in list(element):
        if child.tag in _DROPPED:
            element.remove(child)
        else:
            _drop(child)


def _style_to_attributes(element: ElementTree.Element) -> None:
    for declaration in element.attrib.pop("style", "").split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        if name == "font":
            _font_to_attributes(element, value)
        elif name and not name.startswith("-"):
            element.set(name, value)


def _font_to_attributes(element: ElementTree.Element, font: str) -> None:
    """`font` is no presentation attribute; the family is the page's."""
    match = _FONT.match(font)
    if match:
        element.set("font-size", match["size"])
        if match["weight"]:
            element.set("font-weight", match["weight"])


def _references(element: ElementTree.Element) -> Iterator[str]:
    for name in ("clip-path", _XLINK_HREF):
        match = _REFERENCE.search(element.get(name, ""))
        if match:
            yield match[1]


def _rename_ids(root: ElementTree.Element, prefix: str) -> None:
    """Ids that nothing refers to are dropped; the others are numbered under the prefix, which keeps them unique."""
    referenced = {reference: "" for element in root.iter() for reference in _references(element)}
    names = {old: f"{prefix}-{number}" for number, old in enumerate(referenced)}
    for element in root.iter():
        old = element.attrib.pop("id", None)
        if old in names:
            element.set("id", names[old])
        if "clip-path" in element.attrib:
            element.set("clip-path", _REFERENCE.sub(lambda match: f"#{names[match[1]]}", element.attrib["clip-path"]))
        if _XLINK_HREF in element.attrib:
            element.set("href", f"#{names[element.attrib.pop(_XLINK_HREF)[1:]]}")


def _shorten(element: ElementTree.Element) -> None:
    """Two decimals of a pixel are enough; colours become the page's variables."""
    for name, value in element.attrib.items():
        if name in _KEPT:
            continue
        value = COLOURS.get(value.lower(), value)
        element.set(name, _LONG_NUMBER.sub(lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), value))


def _flatten(element: ElementTree.Element) -> None:
    """Groups without attributes say nothing, and matplotlib's line breaks are half of a small chart."""
    children: list[ElementTree.Element] = []
    for child in list(element):
        _flatten(child)
        is_bare_group = child.tag == f"{{{_SVG}}}g" and not child.attrib
        children.extend(list(child) if is_bare_group else [child])
    element[:] = children
    element.tail = None
    if not (element.text or "").strip():
        element.text = None
    if "d" in element.attrib:
        element.set("d", re.sub(r"\s*([MLHVCQZ])\s*", r"\1", element.attrib["d"]))


def _frame(root: ElementTree.Element, prefix: str, title: str, description: str) -> None:
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    # What matplotlib's <style>*{}</style> said.
    root.attrib.update({"class": "chart", "role": "img", "aria-labelledby": f"{prefix}-title {prefix}-description",
                        "stroke-linejoin": "round", "stroke-linecap": "butt"})
    for position, (name, text) in enumerate((("title", title), ("desc", description))):
        suffix = "title" if name == "title" else "description"
        label = ElementTree.Element(f"{{{_SVG}}}{name}", {"id": f"{prefix}-{suffix}"})
        label.text = visible(text)
        root.insert(position, label)
