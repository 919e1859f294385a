"""Pages whose skew is known: drawn ones, and scans that are turned by known angles."""

import math
import random
from pathlib import Path

import cv2
import numpy
from PIL import Image, ImageDraw, ImageFont

WORDS = ("the of and to in a is that for it as was with be by on not he his but at are this have from which one all "
         "structuring element opening closing erosion granulometry skew page scanner music book archive line angle "
         "Paris measured between texture material microscope volume foam").split()
LARGER = 3  # drawn so many times as large, so that edges are smooth


def turned(page, degrees):
    """Counter-clockwise, nothing lost; by OpenCV's cubic interpolation, for the one under test must not be ours."""
    height, width = page.shape
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    room_x = math.ceil(width * abs(cosine) + height * abs(sine))
    room_y = math.ceil(height * abs(cosine) + width * abs(sine))
    # Both images are turned about the middle between their outermost samples.
    matrix = numpy.array([[cosine, sine, 0.0], [-sine, cosine, 0.0]])
    matrix[:, 2] = numpy.array([room_x - 1, room_y - 1]) / 2 - matrix[:, :2] @ (numpy.array([width - 1, height - 1]) / 2)
    return cv2.warpAffine(page, matrix, (room_x, room_y), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_CONSTANT,
                          borderValue=float(numpy.median(page)))


def text_page(columns, seed):
    """Justified text in columns with headings, 1240x1754: A4 at 150 dots per inch."""
    choose = random.Random(seed)
    width, height, margin = 1240 * LARGER, 1754 * LARGER, 130 * LARGER
    page = Image.new("L", (width, height), 255)
    draw = ImageDraw.Draw(page)
    text, heading = (ImageFont.load_default(points * LARGER) for points in (21, 34))
    gap = 50 * LARGER
    column = (width - 2 * margin - gap * (columns - 1)) / columns
    for c in range(columns):
        left, y = margin + c * (column + gap), margin
        while y < height - margin:
            font = heading if choose.random() < 0.05 else text
            line, words = "", []
            while draw.textlength(line + " measured", font) < column:
                words.append(choose.choice(WORDS))
                line = " ".join(words)
            stretch = (column - draw.textlength("".join(words), font)) / max(1, len(words) - 1)
            x = left
            for word in words[:choose.randint(2, len(words))] if choose.random() < 0.15 else words:
                draw.text((x, y), word, 0, font)
                x += draw.textlength(word, font) + stretch
            y += round(font.size * 1.45)
    return page


def staves(seed):
    """Nine systems of five thin lines with notes and bars, 1000x1411."""
    choose = random.Random(seed)
    width, height, apart = 1000 * LARGER, 1411 * LARGER, 10 * LARGER
    page = Image.new("L", (width, height), 250)
    draw = ImageDraw.Draw(page)
    left, right = 80 * LARGER, 920 * LARGER
    for system in range(9):
        top = (110 + 140 * system) * LARGER
        for i in range(5):
            draw.line([(left, top + i * apart), (right, top + i * apart)], 30, round(1.5 * LARGER))
        for bar in range(5):
            x = left + (right - left) * bar // 4
            draw.line([(x, top), (x, top + 4 * apart)], 30, 2 * LARGER)
        for x in range(left + 3 * apart, right - 3 * apart, 4 * apart):
            y = top + choose.randint(-2, 10) * apart // 2
            draw.ellipse([x - 6 * LARGER, y - 4 * LARGER, x + 6 * LARGER, y + 4 * LARGER], 20)
            draw.line([(x + 6 * LARGER, y), (x + 6 * LARGER, y - 33 * LARGER)], 20, 2 * LARGER)
    return page


def table(seed):
    """Rules in both directions, numbers in the cells, uneven light, the black of a scanner on two sides."""
    choose = random.Random(seed)
    width, height = 1100 * LARGER, 800 * LARGER
    page = Image.new("L", (width, height), 255)
    draw = ImageDraw.Draw(page)
    font = ImageFont.load_default(20 * LARGER)
    xs = [(150 + 160 * i) * LARGER for i in range(6)]
    ys = [(120 + 45 * i) * LARGER for i in range(13)]
    for x in xs:
        draw.line([(x, ys[0]), (x, ys[-1])], 60, 2 * LARGER)
    for y in ys:
        draw.line([(xs[0], y), (xs[-1], y)], 60, 2 * LARGER)
    for x in xs[:-1]:
        for y in ys[:-1]:
            draw.text((x + 20 * LARGER, y + 10 * LARGER), str(choose.randint(100, 999999)), 20, font)
    return page


def spoilt(page, seed):
    """Light that falls off to one side, grain, and the black that a scanner sees beside the paper."""
    noise = numpy.random.default_rng(seed)
    height, width = page.shape
    light = numpy.linspace(1.0, 0.55, width) * numpy.linspace(0.9, 1.0, height)[:, None]
    grey = page * light + noise.normal(0, 6, page.shape)
    grey[: height // 25] = grey[:, -(width // 30):] = 12
    return grey.clip(0, 255).astype(numpy.uint8)


def drawn(page, degrees):
    """Turned while it is large, then reduced: the angle is exact."""
    large = turned(numpy.asarray(page), degrees)
    return cv2.resize(large, (large.shape[1] // LARGER, large.shape[0] // LARGER), interpolation=cv2.INTER_AREA)


def scan(path):
    page = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    if page is None:
        raise FileNotFoundError(path)
    return page


class Drawn:
    """Pages of our own: level until they are turned."""

    skew = 0.0

    def __init__(self, make, spoil=False):
        self.make, self.spoil = make, spoil

    def load(self):
        self.page = self.make()

    def at(self, degrees):
        page = drawn(self.page, degrees)
        return spoilt(page, round(1000 * abs(degrees))) if self.spoil else page


class Scan:
    """A scan; `skew` is about what it has of itself, for the choice of angles. What exactly, run.py finds out."""

    def __init__(self, path, skew, turn=0, smaller=1):
        self.path, self.skew, self.turn, self.smaller = path, skew, turn, smaller

    def load(self):
        page = numpy.ascontiguousarray(numpy.rot90(scan(self.path), self.turn))
        size = (page.shape[1] // self.smaller, page.shape[0] // self.smaller)
        self.page = cv2.resize(page, size, interpolation=cv2.INTER_AREA) if self.smaller > 1 else page

    def at(self, degrees):
        return turned(self.page, degrees - self.skew)


def all_pages(data):
    pages = {"text": Drawn(lambda: text_page(1, 1)), "two_columns": Drawn(lambda: text_page(2, 2)),
             "music": Drawn(lambda: staves(3)), "table_spoilt": Drawn(lambda: table(4), True),
             "text_spoilt": Drawn(lambda: text_page(1, 5), True)}
    if data:
        scans = Path(data) / "scans"
        pages |= {"lept_lucasta": Scan(scans / "lept_lucasta.047.jpg", 0.0),
                  "lept_pedante": Scan(scans / "lept_pedante.079.jpg", -0.43), "page": Scan(scans / "page.png", -0.3),
                  "staff_lines": Scan(scans / "staff_lines.pbm", -0.23),
                  "deskew_input": Scan(scans / "deskew_input.jpeg", 7.94, turn=-1, smaller=3)}
    return pages
