/** The list of deals, with every way to ask for its rows. */
import { begins, equal, looked, numbered, owner, routesOf, sql, text } from '#dodeca/kernel'
import type { ListDeps } from '#dodeca/kernel'
import { Deal, Row, State } from './schemas.ts'

const { open, list } = routesOf<ListDeps>({ permission: 'authenticated', added: true })

export const dealRoutes = open({
  listDeals: list('/v1/deals', 'List deals, newest first', {
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
  }),
})
