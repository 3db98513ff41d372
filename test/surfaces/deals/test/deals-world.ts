/** A world with deals: rows that repeat many values, and the list page by page. */
import { expect } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { openWorld, type Person } from '../../../world.ts'

export const csv_rows_max = 1200

export type Deal = {
  id: string
  owner_id: string
  number: number
  title: string
  state: string
  currency: string
  amount_minor: number
  note: string | null
  created_at: string
}

const titles = [
  'Élan',
  'elan vital',
  'Zebra',
  'zebra',
  '=1+1',
  '-5',
  'a,"b"',
  '100%',
  'under_score',
]
export const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString()

export function some(count: number, owners: readonly string[]): Deal[] {
  return Array.from({ length: count }, (_none, at) => ({
    id: newId(),
    owner_id: owners[at % owners.length] ?? '',
    number: 1000 + at,
    title: titles[(at * 7) % titles.length] ?? '',
    state: ['open', 'won', 'lost'][at % 3] ?? '',
    currency: at % 5 === 0 ? 'JPY' : 'EUR',
    amount_minor: (at * 37) % 50,
    note: at % 60 === 0 ? 'rare' : null,
    created_at: day(Math.floor(at / 20)),
  }))
}

export async function openDeals(settings: Record<string, string> = {}) {
  const world = await openWorld({
    KERNEL_LIST_LOOK_MAX: '100',
    KERNEL_CSV_ROWS_MAX: String(csv_rows_max),
    ...settings,
  })
  const { db } = world.platform.kernel

  async function write(
    { principal }: Person,
    rows: readonly Deal[],
    deleted = false,
  ): Promise<void> {
    const { tenant_id } = principal
    await db.run(sql`
      insert into deals.deals (tenant_id, id, owner_id, number, title, state, currency, amount_minor,
        note, created_at, deleted_at)
      select ${tenant_id}, r.id, r.owner_id, r.number, r.title, r.state, r.currency, r.amount_minor,
        r.note, r.created_at, case when ${deleted} then kernel.now() end
      from ${sql.table(rows, {
        id: 'uuid',
        owner_id: 'uuid',
        number: 'int8',
        title: 'text',
        state: 'text',
        currency: 'text',
        amount_minor: 'int8',
        note: 'text',
        created_at: 'timestamptz',
      })} r`)
  }

  async function manager(): Promise<Person> {
    const person = world.person()
    await world.grant(person, 'deals.deals.read_any')
    return person
  }

  /** Every id of the list, page by page. */
  async function walk(
    { token }: Person,
    query: Record<string, string>,
    between: () => Promise<void> = async () => {},
  ) {
    const seen: string[] = []
    let cursor = ''
    for (let pages = 0; pages < 200; pages++) {
      const asked = new URLSearchParams({ ...query, limit: '17', ...(cursor && { cursor }) })
      const { status, body } = await world.call('GET', `/v1/deals?${asked}`, { token })
      expect(status, JSON.stringify(body)).toBe(200)
      seen.push(...body.data.map((one: { id: string }) => one.id))
      if (!body.has_more) return seen
      cursor = body.next_cursor
      await between()
    }
    throw new Error('the list does not end')
  }

  const refused = async (person: Person, query: string, headers = {}) => {
    const { status, body } = await world.call('GET', `/v1/deals?${query}`, {
      token: person.token,
      headers,
    })
    return [status, body.code]
  }

  return { world, db, write, manager, walk, refused }
}

export type Deals = Awaited<ReturnType<typeof openDeals>>
