/**
 * Checks that all answered redirects are stored: compares the clicks in the database with the
 * counted redirects.
 */
import { ask } from '../ground/database.ts'
import type { Section } from '../ground/report.ts'
import { get, type Linked } from './prepare.ts'
import { connections } from './wrk.ts'

/** Redirects that clients have counted. */
export type Account = { followed: number; runs: number }

const patience_ms = 120_000

/** Waits until no more clicks arrive. Returns how many are stored. */
export async function stored({ url }: Linked, { followed }: Account): Promise<number> {
  const began = performance.now()
  for (let before = -1; ;) {
    const [row] = await ask(url, 'select count(*)::int as n from links.click_events')
    const now = Number(row?.['n'])
    if (now >= followed && now === before) return now
    if (performance.now() - began > patience_ms) {
      throw new Error(`${now} clicks are stored of ${followed} redirects`)
    }
    before = now
    await new Promise(resolve => setTimeout(resolve, 400))
  }
}

const asked = 20_000
const visitors = 32

/**
 * Only the server counts requests that are in flight when a client stops. So the account ends with
 * requests that are all awaited.
 */
export async function closeAccount(linked: Linked, account: Account): Promise<Section> {
  const before = await stored(linked, account)
  const unheard = before - account.followed
  let followed = 0
  await Promise.all(
    Array.from({ length: visitors }, async (_, visitor) => {
      for (let visit = visitor; visit < asked; visit += visitors) {
        const { status } = await get(linked.port, '/b000001')
        if (status === 302) followed++
      }
    }),
  )
  const exact = { followed: before + followed, runs: 0 }
  const difference = (await stored(linked, exact)) - exact.followed
  return {
    title: 'Clicks stored beside redirects answered',
    columns: ['', 'redirects', 'stored beyond them'],
    rows: [
      ['all rounds of wrk', account.followed.toLocaleString('en'), String(unheard)],
      [
        `${visitors} visitors who wait for each answer`,
        followed.toLocaleString('en'),
        String(difference),
      ],
    ],
    verdicts: [
      { says: 'Difference', reached: Math.abs(difference), target: 0, unit: '', wanted: 'at most' },
    ],
    notes: [
      `wrk breaks off up to ${connections} requests at the end of each of its ${account.runs} rounds, after they were answered.`,
    ],
  }
}
