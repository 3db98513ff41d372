/**
 * SHA-256 of a file of any size, a few megabytes at a time. The browser's own digest needs the
 * whole file in memory.
 */
/* oxlint-disable unicorn/prefer-math-trunc -- `| 0` keeps the lowest 32 bits, as the algorithm asks */
const piece_bytes = 4 * 1024 * 1024
const block_bytes = 64

/** The first 32 bits of the fractions of the cube and square roots of the primes (FIPS 180-4). */
const { constants, start } = tables()

export async function sha256(file: Blob, signal?: AbortSignal): Promise<string> {
  const state = start.slice()
  for (let at = 0; ; at += piece_bytes) {
    signal?.throwIfAborted()
    const bytes = new Uint8Array(await file.slice(at, at + piece_bytes).arrayBuffer())
    const whole = bytes.length === piece_bytes ? bytes : padded(bytes, file.size)
    digest(state, new DataView(whole.buffer))
    if (whole !== bytes) break
  }
  return [...state].map(word => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

/** The last piece, padded with a one bit, zeros and the length in bits. */
function padded(bytes: Uint8Array, total_bytes: number): Uint8Array {
  const whole = new Uint8Array(Math.ceil((bytes.length + 9) / block_bytes) * block_bytes)
  whole.set(bytes)
  whole[bytes.length] = 0x80
  new DataView(whole.buffer).setBigUint64(whole.length - 8, BigInt(total_bytes) * 8n)
  return whole
}

function digest(state: Int32Array, view: DataView): void {
  const words = new Int32Array(64)
  const at = (n: number): number => words[n] as number
  for (let from = 0; from < view.byteLength; from += block_bytes) {
    for (let n = 0; n < 16; n++) words[n] = view.getInt32(from + 4 * n)
    for (let n = 16; n < 64; n++) {
      const [x, y] = [at(n - 15), at(n - 2)]
      const low = rotated(x, 7) ^ rotated(x, 18) ^ (x >>> 3)
      const high = rotated(y, 17) ^ rotated(y, 19) ^ (y >>> 10)
      words[n] = (at(n - 16) + low + at(n - 7) + high) | 0
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as number[] as Eight
    for (let n = 0; n < 64; n++) {
      const sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
      const one = (h + sum1 + ((e & f) ^ (~e & g)) + (constants[n] as number) + at(n)) | 0
      const sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
      const two = (sum0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + one) | 0
      d = c
      c = b
      b = a
      a = (one + two) | 0
    }
    const next: Eight = [a, b, c, d, e, f, g, h]
    next.forEach((word, n) => (state[n] = ((state[n] as number) + word) | 0))
  }
}

type Eight = [number, number, number, number, number, number, number, number]

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

function tables() {
  const primes: number[] = []
  for (let n = 2; primes.length < 64; n++) if (primes.every(one => n % one !== 0)) primes.push(n)
  const fraction = (root: number) => ((root % 1) * 2 ** 32) | 0
  return {
    constants: Int32Array.from(primes, one => fraction(Math.cbrt(one))),
    start: Int32Array.from(primes.slice(0, 8), one => fraction(Math.sqrt(one))),
  }
}
