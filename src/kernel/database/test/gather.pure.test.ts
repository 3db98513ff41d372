/** What comes together is done together, waits no longer than it has to, and fails alone. */
import { describe, expect, test } from 'vitest'
import { DatabaseBusy } from '../failures.ts'
import { gather } from '../gather.ts'

const limits = {
  flights_max: 1,
  items_max: 4,
}

/** Flights whose end the test decides. */
function openFlights() {
  const flights: { items: readonly number[]; end(error?: Error): void }[] = []
  const run = (items: readonly number[]) =>
    new Promise<string[]>((resolve, reject) => {
      const end = (error?: Error) =>
        error ? reject(error) : resolve(items.map(item => `done ${item}`))
      flights.push({ items, end })
    })
  const begun = async (many: number) => {
    while (flights.length < many) await new Promise(resolve => setImmediate(resolve))
    return flights.at(-1) as (typeof flights)[number] // there are as many
  }
  return { flights, run, begun }
}

describe('what is asked for', () => {
  test('while a flight is under way shares the next, and so many go in one', async () => {
    const { flights, run, begun } = openFlights()
    const ask = gather(limits, run)
    const first = ask(0)
    const flight = await begun(1)
    const others = [1, 2, 3, 4, 5].map(item => ask(item))
    flight.end()
    expect(await first).toBe('done 0')
    const second = await begun(2)
    second.end()
    const third = await begun(3)
    third.end()
    expect(await Promise.all(others)).toEqual([1, 2, 3, 4, 5].map(item => `done ${item}`))
    expect(flights.map(one => one.items)).toEqual([[0], [1, 2, 3, 4], [5]])
  })

  test('and cannot be done fails alone', async () => {
    const ask = gather<number, number>(limits, async items => {
      if (items.includes(2)) throw new Error('not this one')
      return items.map(item => item * 2)
    })
    const ended = await Promise.allSettled([1, 2, 3].map(item => ask(item)))
    expect(ended.map(one => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
      2,
      'failed',
      6,
    ])
  })

  test('is not tried one by one where the database is away', async () => {
    const asked: number[] = []
    const ask = gather<number, number>(limits, items => {
      asked.push(items.length)
      return Promise.reject(new DatabaseBusy())
    })
    const ended = await Promise.allSettled([1, 2, 3].map(item => ask(item)))
    expect(ended.map(one => one.status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(asked).toEqual([3])
  })

  test('is let go when it has waited for too long', async () => {
    const { flights, run, begun } = openFlights()
    const ask = gather({ ...limits, patience_ms: -1 }, run)
    const first = ask(0)
    const flight = await begun(1)
    const late = ask(1)
    const last = ask(2)
    await expect(late).rejects.toThrow(DatabaseBusy)
    flight.end()
    await first
    ;(await begun(2)).end()
    await last
    expect(flights.map(one => one.items)).toEqual([[0], [2]])
  })

  test('goes in as many flights at a time, each as large as fits', async () => {
    const { flights, run, begun } = openFlights()
    const fit = () => 2
    const ask = gather({ flights_max: 2, items_max: 4, fit }, run)
    const all = Promise.all([1, 2, 3, 4, 5].map(item => ask(item)))
    await begun(2)
    expect(flights.map(one => one.items)).toEqual([
      [1, 2],
      [3, 4],
    ])
    flights[0]?.end()
    ;(await begun(3)).end()
    flights[1]?.end()
    expect(await all).toHaveLength(5)
    expect(flights[2]?.items).toEqual([5])
  })
})
