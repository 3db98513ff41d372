/** Deals: one list with every way to ask for its rows. Tests write the rows by themselves. */
import { Type } from 'typebox'
import { sql } from '../../../src/kernel/database/sql.ts'
import { list } from '../../../src/kernel/http/lists/list.ts'
import { begins, equal, looked, numbered, owner } from '../../../src/kernel/http/lists/members.ts'
import { Id, nullable, oneOf, text, Time } from '../../../src/kernel/http/shapes.ts'
import type { Surface } from '../../../src/kernel/surface.ts'

const State = oneOf('open', 'won', 'lost')
const Row = Type.Object({
  id: Id,
  owner_id: Id,
  number: Type.Integer(),
  title: Type.String(),
  state: State,
  currency: Type.String(),
  amount_minor: Type.Integer(),
  note: nullable(Type.String()),
  tags: Type.Array(Type.String()),
  created_at: Time,
})
const Deal = Type.Object(
  {
    ...Type.Omit(Row, ['state', 'owner_id']).properties,
    owner: Type.Object({ id: Id }),
    state: State,
  },
  { title: 'Deal' },
)

const listDeals = list('/v1/deals', 'List deals, newest first', {
  added: true,
  from: 'deals.deals',
  row: Row,
  item: Deal,
  view: ({ owner_id, ...row }) => ({ ...row, owner: { id: owner_id } }),
  where: sql`t.deleted_at is null`,
  of: owner('owner_id', 'deals.deals.read_any'),
  time: 'id',
  filters: { state: equal(State), currency: equal(text(3, 3)), note: looked(text(40)) },
  sort: {
    amount: { column: 'amount_minor', type: 'bigint', within: 'currency' },
    title: { column: 'title', type: 'text' },
  },
  find: [numbered('number'), begins('title')],
})

export const deals: Surface<unknown, unknown, Record<never, never>> = {
  name: 'deals',
  settings: {},
  migrations: new URL('./migrations/', import.meta.url),
  permissions: { 'deals.deals.read_any': { says: 'See the deals of others', roles: [] } },
  errors: {},
  events: {},
  open: kernel => ({
    face: {},
    routes: [listDeals('listDeals', { kernel })],
  }),
}
