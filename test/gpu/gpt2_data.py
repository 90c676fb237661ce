#!/usr/bin/env python3
"""Writes the files llm.c's train_gpt2_fp32 reads: a model of random weights, token shards, a tokenizer.

    gpt2_data.py FOLDER [--layers 12] [--steps 10] [--batch 4] [--length 256]

The layouts are those the program checks: 256 header words, then float32 weights in its order, uint16
tokens, length-prefixed token texts. With the defaults the model has GPT-2 124M's shape (498 MB).
"""
import argparse
import array
import os
import random
import struct

VOCABULARY, PADDED, SEQUENCE = 50257, 50304, 1024


def header(*words):
    return struct.pack("<256i", *(words + (0,) * (256 - len(words))))


def normal(count, deviation=0.02):
    """Random float32 bytes; without numpy one 64 Ki block is repeated."""
    try:
        import numpy
    except ImportError:
        source = random.Random(7)
        block = array.array("f", (source.gauss(0, deviation) for _ in range(65536))).tobytes()
        return (block * (count * 4 // len(block) + 1))[: count * 4]
    draw = numpy.random.default_rng(7).standard_normal(count, dtype=numpy.float32)
    return (draw * deviation).tobytes()


def write_model(path, layers, heads, channels):
    c, l = channels, layers
    ones, zeros = struct.pack("<f", 1.0), struct.pack("<f", 0.0)
    with open(path, "wb") as out:
        out.write(header(20240326, 3, SEQUENCE, VOCABULARY, l, heads, c, PADDED))
        for count, fill in (
            (PADDED * c, None), (SEQUENCE * c, None),           # token and position embeddings
            (l * c, ones), (l * c, zeros),                      # layer norm 1
            (l * 3 * c * c, None), (l * 3 * c, zeros),          # attention in
            (l * c * c, None), (l * c, zeros),                  # attention out
            (l * c, ones), (l * c, zeros),                      # layer norm 2
            (l * 4 * c * c, None), (l * 4 * c, zeros),          # feed forward in
            (l * c * 4 * c, None), (l * c, zeros),              # feed forward out
            (c, ones), (c, zeros),                              # last layer norm
        ):
            out.write(normal(count) if fill is None else fill * count)


def write_tokens(path, count, seed):
    source = random.Random(seed)
    with open(path, "wb") as out:
        out.write(header(20240520, 1, count))
        out.write(array.array("H", (source.randrange(50000) for _ in range(count))).tobytes())


def write_tokenizer(path):
    with open(path, "wb") as out:
        out.write(header(20240328, 2, VOCABULARY, VOCABULARY - 1))
        for number in range(VOCABULARY):
            text = b" %d" % number
            out.write(bytes([len(text)]) + text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--channels", type=int, default=768)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--length", type=int, default=256)
    a = parser.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    write_model(os.path.join(a.folder, "gpt2_124M.bin"), a.layers, a.heads, a.channels)
    tokens = a.batch * a.length
    write_tokens(os.path.join(a.folder, "train.bin"), a.steps * tokens + 1, 1)
    write_tokens(os.path.join(a.folder, "val.bin"), 2 * tokens + 1, 2)
    write_tokenizer(os.path.join(a.folder, "gpt2_tokenizer.bin"))


if __name__ == "__main__":
    main()
