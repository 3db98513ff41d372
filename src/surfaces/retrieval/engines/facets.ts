/**
 * Metadata as numbers: a filter on `key=value` becomes a comparison of 63-bit hashes. Two pairs may
 * have the same hash, so every hit is compared with the real metadata before it is returned.
 */
import { createHash } from 'node:crypto'

export function facetOf(key: string, value: string | number | boolean): bigint {
  const pair = JSON.stringify([key, value])
  // Not negative: the largest negative integer cannot be written in a predicate.
  return BigInt.asUintN(63, createHash('sha256').update(pair).digest().readBigUInt64BE())
}
