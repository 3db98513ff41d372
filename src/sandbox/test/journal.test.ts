/**
 * The journal against a plain list: whatever is appended, forgotten and opened again, both agree.
 */
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openJournal, type Journal, type Place } from '../journal.ts'
import { newDataDir } from './child.ts'

type Known = { entry: unknown; place: Place }

function open(file: string): { journal: Journal; known: Known[] } {
  const known: Known[] = []
  const journal = openJournal({
    file,
    nowMs: () => 1000,
    replay: (entry, place) => known.push({ entry, place }),
  })
  return { journal, known }
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('append'), text: fc.string({ unit: 'binary' }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen'), text: fc.constant('') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget'), text: fc.string() }) },
)

test('what was appended and not forgotten is read again, in order', () => {
  const folder = newDataDir()
  let run = 0
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), steps => {
      const file = join(folder, `${run++}.jsonl`)
      let { journal, known } = open(file)
      const reopened: [Known[], Known[]][] = []
      for (const one of steps) {
        if (one.do === 'append') {
          const entry = { text: one.text }
          known.push({ entry, place: journal.append(entry) })
        } else if (one.do === 'forget') {
          const rest = known.filter((_, index) => index % 2 === one.text.length % 2)
          const places = journal.keepOnly(rest.map(({ place }) => place))
          known = rest.map(({ entry }, index) => ({ entry, place: places[index] as Place }))
        } else {
          journal.close()
          const before = [...known]
          ;({ journal, known } = open(file))
          reopened.push([[...known], before])
        }
        for (const { entry, place } of known) expect(journal.read(place)).toEqual(entry)
      }
      journal.close()
      for (const [found, expected] of reopened) expect(found).toEqual(expected)
    }),
    { numRuns: 60 },
  )
})

test('an entry larger than what is read at once survives', () => {
  const file = join(newDataDir(), 'large.jsonl')
  const first = open(file)
  const entry = { text: 'x'.repeat(3_000_000) }
  first.journal.append({ text: 'small' })
  first.journal.append(entry)
  first.journal.append({ text: 'last' })
  first.journal.close()
  const { journal, known } = open(file)
  expect(known.map(one => (one.entry as { text: string }).text.length)).toEqual([5, 3_000_000, 4])
  expect(journal.read((known[1] as Known).place)).toEqual(entry)
  journal.close()
})
