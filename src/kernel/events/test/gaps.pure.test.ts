/** The memory of the sequencer, alone: what it reads next, and when it may forget. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Gaps } from '../log/gaps.ts'

const ranges = (gaps: Gaps) => gaps.ranges.map(({ low, high }) => [low, high])

test('numbers that were not there stay in mind until their transactions have ended', () => {
  const gaps = new Gaps(0, 0)
  gaps.learn({ taken: [1, 2, 5, 9], full: false, xmin: 100, xid: 110 })
  expect(gaps.last).toBe(9)
  expect(ranges(gaps)).toEqual([
    [3, 4],
    [6, 8],
  ])
  gaps.learn({ taken: [7], full: false, xmin: 109, xid: 120 })
  expect(ranges(gaps)).toEqual([
    [3, 4],
    [6, 6],
    [8, 8],
  ])
  gaps.learn({ taken: [4], full: false, xmin: 110, xid: 130 })
  expect(ranges(gaps)).toEqual([])
})

test('a full batch forgets nothing that it may not have read', () => {
  const gaps = new Gaps(1000, 50)
  gaps.learn({ taken: [10, 11], full: true, xmin: 60, xid: 60 })
  expect(ranges(gaps)).toEqual([[12, 1000]])
  gaps.learn({ taken: [12, 2000], full: false, xmin: 60, xid: 60 })
  expect(ranges(gaps)).toEqual([])
  expect(gaps.last).toBe(2000)
})

test('no number is read twice, and none that may still come is forgotten', () => {
  const commits = fc.array(fc.record({ rows: fc.integer({ min: 1, max: 4 }), late: fc.nat(5) }), {
    maxLength: 40,
  })
  fc.assert(
    fc.property(commits, fc.integer({ min: 1, max: 6 }), (writers, batch) => {
      // Writer i has transaction id i, takes its numbers in step i and commits in step i + late.
      const rows: { seq: number; visible: number }[] = []
      let seq = 0
      writers.forEach(({ rows: n, late }, step) => {
        for (let row = 0; row < n; row++) rows.push({ seq: ++seq, visible: step + late })
      })
      const gaps = new Gaps(0, 0)
      const taken = new Set<number>()
      for (let step = 0; step < writers.length + 300; step++) {
        // The reader's own transaction is younger than all that have begun.
        const xid = Math.min(step + 1, writers.length)
        const open = writers.findIndex(({ late }, i) => i < xid && i + late > step)
        const known = (one: number) =>
          one > gaps.last || gaps.ranges.some(({ low, high }) => low <= one && one <= high)
        const found = rows
          .filter(row => row.visible <= step && !taken.has(row.seq) && known(row.seq))
          .slice(0, batch)
          .map(row => row.seq)
        for (const one of found) taken.add(one)
        const xmin = open === -1 ? xid : open
        gaps.learn({ taken: found, full: found.length === batch, xmin, xid })
      }
      expect([...taken].sort((a, b) => a - b)).toEqual(rows.map(row => row.seq))
      expect(gaps.ranges).toEqual([])
    }),
  )
})
