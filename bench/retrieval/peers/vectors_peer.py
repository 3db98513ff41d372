"""FAISS and hnswlib with one thread: exact and approximate search of vectors, recall and times."""

import json
import sys
import time

import faiss
import hnswlib
import numpy

path, count, dimensions, asked = sys.argv[1], *map(int, sys.argv[2:5])
vectors = numpy.fromfile(path, dtype=numpy.float32).reshape(count + asked, dimensions)
rows, queries = vectors[:count], vectors[count:]
faiss.omp_set_num_threads(1)


def timed(search):
    times, found = [], []
    for query in queries:
        began = time.perf_counter()
        found.append(search(query.reshape(1, -1)))
        times.append((time.perf_counter() - began) * 1000)
    return sorted(times), found


def shown(name, result, exact, built):
    times, found = result
    same = sum(len(set(a) & set(b)) for a, b in zip(found, exact))
    return {
        "name": name,
        "p50_ms": times[len(times) // 2],
        "p95_ms": times[len(times) * 95 // 100],
        "recall": same / sum(map(len, exact)),
        "build_seconds": built,
    }


flat = faiss.IndexFlatIP(dimensions)
flat.add(rows)
exact = timed(lambda query: flat.search(query, 10)[1][0].tolist())
answers = [shown("FAISS, exact", exact, exact[1], 0)]

began = time.perf_counter()
hnsw = hnswlib.Index(space="ip", dim=dimensions)
hnsw.init_index(max_elements=count, ef_construction=200, M=20)
hnsw.add_items(rows, num_threads=1)
built = time.perf_counter() - began
hnsw.set_num_threads(1)
for ef in (50, 100, 200):
    hnsw.set_ef(ef)
    result = timed(lambda query: hnsw.knn_query(query, k=10)[0][0].tolist())
    answers.append(shown(f"hnswlib, ef {ef}", result, exact[1], built))
print(json.dumps(answers))
