/** The form of the signatures of tokens. */
import { generateKeyPairSync, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { signEs256 } from '../keys/es256.ts'

test('each signature has 64 bytes and is valid, also when its numbers are short', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  let short = 0
  // One number of 128 has a first byte of zero.
  for (let n = 0; n < 3000; n++) {
    const text = `text ${n}`
    const signature = signEs256(text, privateKey)
    expect(signature).toHaveLength(64)
    expect(verify('sha256', Buffer.from(text), key, signature)).toBe(true)
    if (signature[0] === 0 || signature[32] === 0) short++
  }
  expect(short).toBeGreaterThan(0)
})
