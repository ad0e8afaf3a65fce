"""Trained models of packages from PyPI (ci/setup installs them as files), and tasks with known
answers that measure how good a converted model still is: text drawn by Pillow, speech from
espeak-ng, files of this repository.
"""
# SPDX-License-Identifier: Apache-2.0

import io
import json
import pathlib
import subprocess
import sysconfig
import wave

import numpy
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = pathlib.Path(sysconfig.get_paths()["purelib"])
OCR = PACKAGES / "rapidocr_onnxruntime/models"
WORDS = ("invoice 2931 total amount due Wednesday quarterly report signed by committee temperature 36.6 "
         "velocity gradient kernel overflow precision register boundary HELLO WORLD Paris London 1987").split()
LINES = ["Dear customer,", "your order 5512 has shipped.", "Expect it on Friday, 14 June.", "Total: 248.90 EUR",
         "Kind regards", "The warehouse team"]
SPEECH = "The quick brown fox jumps over the lazy dog. She sells sea shells by the sea shore."
KINDS = {".cpp": {"cpp", "c"}, ".py": {"python"}, ".json": {"json"}, ".md": {"markdown"}, ".css": {"css"},
         ".js": {"javascript"}, ".svg": {"svg"}, ".cmake": {"cmake"}}


class Session:
    def __init__(self, path):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.names = [each.name for each in self.session.get_inputs()]

    def __call__(self, feeds):
        return self.session.run(None, {name: feeds[name] for name in self.names})


class Task:
    """One model: `inputs()` returns sample inputs; `score(path)` the fraction of a task that a
    model solves."""

    def __init__(self, name, path):
        self.name, self.path = name, path


def drawn(text, size, height, width=None, background=255, turned=False):
    """Returns text in the OCR models' format: float32[1,3,height,width], -1 to 1."""
    from PIL import Image, ImageDraw, ImageFont
    font = ImageFont.load_default(size)
    left, top, right, bottom = font.getbbox(text)
    image = Image.new("RGB", (right - left + 12, bottom - top + 12), (background,) * 3)
    ImageDraw.Draw(image).text((6 - left, 6 - top), text, font=font, fill=(255 - background,) * 3)
    if turned:
        image = image.rotate(180)
    wide = max(1, round(height * image.width / image.height))
    if width is not None:
        wide = min(wide, width)
    pixels = numpy.asarray(image.resize((wide, height)), "float32").transpose(2, 0, 1) / 127.5 - 1
    padded = numpy.zeros((1, 3, height, width or wide), "float32")
    padded[0, :, :, :wide] = pixels
    return padded


class Reading(Task):
    def samples(self):
        for i, word in enumerate(WORDS):
            text = f"{word} {WORDS[(i * 7 + 3) % len(WORDS)]}"
            yield text, drawn(text, 26 + i % 5, 48, 320, (255, 240, 0)[i % 3])

    def inputs(self):
        return [{"x": x} for _, x in self.samples()]

    def score(self, path):
        session = Session(path)
        characters = ["", *Session(self.path).session.get_modelmeta().custom_metadata_map["character"].split("\n"), " "]
        right = []
        for text, x in self.samples():
            best = session({"x": x})[0][0].argmax(axis=-1)
            kept = [at for i, at in enumerate(best) if at != 0 and (i == 0 or best[i - 1] != at)]
            right.append("".join(characters[at] for at in kept).replace(" ", "") == text.replace(" ", ""))
        return float(numpy.mean(right))


class Turning(Task):
    def samples(self):
        for i, word in enumerate(WORDS):
            text = f"{word} {WORDS[(i * 5 + 1) % len(WORDS)]}"
            yield i % 2, drawn(text, 28, 48, 192, (255, 230)[i % 3 == 0], turned=i % 2 == 1)

    def inputs(self):
        return [{"x": x} for _, x in self.samples()]

    def score(self, path):
        session = Session(path)
        return float(numpy.mean([session({"x": x})[0][0].argmax() == turned for turned, x in self.samples()]))


class Finding(Task):
    """On two pages: the fraction of lines found, minus the fraction of found areas without text."""
    SIDE = 320

    def samples(self):
        from PIL import Image, ImageDraw, ImageFont
        for page in range(2):
            image = Image.new("RGB", (self.SIDE, self.SIDE), (250, 248, 240))
            draw, places = ImageDraw.Draw(image), []
            for i, line in enumerate(LINES):
                at, font = (12 + 9 * (i % 3), 14 + 48 * i), ImageFont.load_default(16 + 2 * ((i + page) % 3))
                draw.text(at, line, font=font, fill=(20, 20, 40 + 60 * page))
                left, top, right, bottom = draw.textbbox(at, line, font=font)
                places.append((slice(int(top), int(bottom) + 1), slice(int(left), int(right) + 1)))
            pixels = numpy.asarray(image, "float32").transpose(2, 0, 1)[None] / 127.5 - 1
            yield places, numpy.ascontiguousarray(pixels)

    def inputs(self):
        return [{"x": x} for _, x in self.samples()]

    def score(self, path):
        session, parts = Session(path), []
        for places, x in self.samples():
            found = session({"x": x})[0][0, 0] > 0.3
            lines = numpy.mean([found[place].mean() > 0.2 for place in places])
            text = numpy.zeros_like(found)
            for rows, columns in places:
                text[max(0, rows.start - 4):rows.stop + 4, max(0, columns.start - 4):columns.stop + 4] = True
            parts.append(lines - (found & ~text).sum() / max(1, found.sum()))
        return float(numpy.mean(parts))


def speech():
    """Returns float32 audio at 16 kHz in frames of 512 samples, and for each frame whether it
    contains speech."""
    said = subprocess.run(["espeak-ng", "--stdout", SPEECH], capture_output=True, check=True).stdout
    with wave.open(io.BytesIO(said)) as file:
        rate = file.getframerate()
        sound = numpy.frombuffer(file.readframes(file.getnframes()), "<i2").astype("float32") / 32768
    at = numpy.arange(0, len(sound) / rate, 1 / 16000)
    voice = numpy.interp(at * rate, numpy.arange(len(sound)), sound).astype("float32")
    random = numpy.random.default_rng(5)
    noise = (random.standard_normal(16000) * 0.002).astype("float32")
    whole = numpy.concatenate([noise, voice, noise, voice * 0.5, noise])
    whole = whole[:len(whole) // 512 * 512].reshape(-1, 512)
    speaks = numpy.sqrt((whole ** 2).mean(axis=1)) > 0.01
    return whole, speaks


class Hearing(Task):
    """Speech detection, frame by frame, with the model's own form of state."""

    def steps(self, session):
        frames, speaks = speech()
        names = session.names
        states = {name: numpy.zeros((1, 1, 128) if name in "hc" else (2, 1, 128), "float32")
                  for name in names if name in ("state", "h", "c")}
        before = numpy.zeros(64, "float32")
        for frame, truth in zip(frames, speaks):
            x = numpy.concatenate([before, frame])[None]
            before = frame[-64:]
            feeds = {"input": x, "sr": numpy.array(16000, "int64"), **states}
            given = session(feeds)
            yield truth, {name: feeds[name] for name in names}, float(numpy.ravel(given[0])[0])
            states = dict(zip(states, given[1:]))

    def inputs(self):
        return [feeds for i, (_, feeds, _) in enumerate(self.steps(Session(self.path))) if i % 8 == 3]

    def score(self, path):
        return float(numpy.mean([(spoken > 0.5) == truth for truth, _, spoken in self.steps(Session(path))]))


class Typing(Task):
    """Detects the type of a file."""

    def samples(self):
        counts = dict.fromkeys(KINDS, 0)
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, check=True).stdout
        for name in sorted(listed.decode().split("\0")):
            path = ROOT / name
            kind = KINDS.get(path.suffix)
            if kind is None or not path.is_file() or path.stat().st_size < 200 or counts[path.suffix] >= 12:
                continue
            counts[path.suffix] += 1
            content = path.read_bytes()
            begin, end = content[:4096].lstrip()[:1024], content[-4096:].rstrip()[-1024:]
            x = [*begin, *[256] * (1024 - len(begin)), *[256] * (1024 - len(end)), *end]
            yield kind, numpy.array([x], "int32")

    def inputs(self):
        return [{"bytes": x} for _, x in self.samples()][::4]

    def score(self, path):
        labels = json.loads((self.path.parent / "config.min.json").read_text())["target_labels_space"]
        session = Session(path)
        return float(numpy.mean([labels[session({"bytes": x})[0][0].argmax()] in kind for kind, x in self.samples()]))


def tasks():
    """Returns the tasks whose models are available, and the names of missing packages and
    programs."""
    found = [Reading("ocr-rec", OCR / "ch_PP-OCRv4_rec_infer.onnx"), Turning("ocr-cls", OCR / "ch_ppocr_mobile_v2.0_cls_infer.onnx"),
             Finding("ocr-det", OCR / "ch_PP-OCRv4_det_infer.onnx"),
             Typing("magika", PACKAGES / "magika/models/standard_v3_3/model.onnx")]
    found += [Hearing(path.stem.replace("_", "-"), path) for path in sorted((PACKAGES / "silero_vad/data").glob("*.onnx"))]
    missing = sorted({str(task.path.relative_to(PACKAGES)).split("/")[0] for task in found if not task.path.exists()})
    return [task for task in found if task.path.exists()], missing
