/** Row 15: 10,000 frames of any form are read as one of ours or refused with a declared code. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readFrame } from '../realtime/frames.ts'
import { anyFrames } from './fuzz.ts'

const codes = [
  'malformed_json',
  'malformed_request',
  'unsupported_version',
  'unknown_type',
  'validation_failed',
]

test('row 15: 10,000 frames are understood or refused, and change nothing else', () => {
  let understood = 0
  fc.assert(
    fc.property(anyFrames, text => {
      const frame = readFrame(text)
      const refused = !('type' in frame)
      if (!refused) understood++
      const outcome = refused ? frame.code : (JSON.parse(text) as typeof frame).type
      expect(refused ? codes : [frame.type]).toContain(outcome)
      expect(Object.keys(Object.prototype)).toEqual([])
    }),
    { numRuns: 10_000 },
  )
  expect(understood).toBeGreaterThan(500)
})
