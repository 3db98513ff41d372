/** What becomes of missed runs. */
import { expect, test } from 'vitest'
import { dueRuns, type CatchUp, runTimes } from '../run-times.ts'

const hourly = runTimes('0 * * * *', 'UTC')
const minutely = runTimes('* * * * *', 'UTC')
const daily = runTimes('0 9 * * *', 'Europe/Berlin')
if (!hourly || !minutely || !daily) throw new Error('these are schedules')

const at = (text: string) => Date.parse(text)
const rules = (catch_up: CatchUp) => ({ catch_up, made_up_max: 100, on_time_ms: 5000 })
const shown = (runs: readonly number[]) => runs.map(ms => new Date(ms).toISOString().slice(0, 16))

test('nothing is due before its time', () => {
  const due = at('2026-05-01T10:00Z')
  expect(dueRuns(hourly, due, due - 1, rules('all'))).toEqual({ runs: [], next_ms: due })
})

test.for(['skip', 'latest', 'all'] as const)('a run on time happens with %s', catch_up => {
  const due = at('2026-05-01T10:00Z')
  const found = dueRuns(hourly, due, due + 800, rules(catch_up))
  expect(found).toEqual({ runs: [due], next_ms: at('2026-05-01T11:00Z') })
})

const missed: [CatchUp, string[]][] = [
  ['skip', []],
  ['latest', ['2026-05-01T13:00']],
  ['all', ['2026-05-01T10:00', '2026-05-01T11:00', '2026-05-01T12:00', '2026-05-01T13:00']],
]

test.for(missed)('after three and a half hours away, %s makes up for %j', ([catch_up, runs]) => {
  const found = dueRuns(hourly, at('2026-05-01T10:00Z'), at('2026-05-01T13:30Z'), rules(catch_up))
  expect(shown(found.runs)).toEqual(runs)
  expect(found.next_ms).toBe(at('2026-05-01T14:00Z'))
})

test('skip leaves out a run that is seconds late, too', () => {
  const due = at('2026-05-01T10:00Z')
  expect(dueRuns(hourly, due, due + 4999, rules('skip')).runs).toEqual([due])
  const late = dueRuns(hourly, due, due + 5001, rules('skip'))
  expect(late).toEqual({ runs: [], next_ms: at('2026-05-01T11:00Z') })
})

test('all means at most as many as allowed, and the newest of them', () => {
  const found = dueRuns(minutely, at('2026-05-01T00:00Z'), at('2026-05-03T00:00Z'), rules('all'))
  expect(found.runs).toHaveLength(100)
  expect(shown(found.runs.slice(-1))).toEqual(['2026-05-03T00:00'])
  expect(shown(found.runs.slice(0, 1))).toEqual(['2026-05-02T22:21'])
})

// A walk from run to run would take minutes, and the time limit of a test would end it.
test('ten years away cost no walk through ten years', () => {
  const found = dueRuns(
    minutely,
    at('2016-05-01T00:00Z'),
    at('2026-05-01T00:00:30Z'),
    rules('latest'),
  )
  expect(shown(found.runs)).toEqual(['2026-05-01T00:00'])
})

test('a rare run is found far back', () => {
  const yearly = runTimes('0 9 1 1 *', 'Europe/Berlin')
  if (!yearly) throw new Error('this is a schedule')
  const found = dueRuns(yearly, at('2024-01-01T08:00Z'), at('2026-11-01T00:00Z'), rules('all'))
  expect(shown(found.runs)).toEqual(['2024-01-01T08:00', '2025-01-01T08:00', '2026-01-01T08:00'])
})
