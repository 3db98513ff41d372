/** What can be booked: a service of the agency, with the person who does it and a number of places. */
import {
  count,
  given,
  Id,
  once,
  problemsOf,
  record,
  resource,
  sql,
  text,
  Type,
  type Static,
  type Tx,
} from 'dodeca'
import { needs } from './needs.ts'

export const errors = {
  host_unknown: {
    status: 422,
    title: 'There is no such person in your agency',
    cause: 'No active account of the tenant has the id in host_id.',
    cure: 'Send the id of an account that has registered.',
  },
  fully_booked: {
    status: 409,
    title: 'All places are taken',
    cause: 'The service has no place left.',
    cure: 'Book another service, or wait until a booking is cancelled.',
  },
  not_delivered: {
    status: 409,
    title: 'There is no file yet',
    cause: 'The agency has not delivered the booking.',
    cure: 'Wait until the state of the booking is delivered.',
  },
}
export const problem = problemsOf(errors)

/** In cents: from 1 to 100,000 euros. */
export const Price = count(100, 10_000_000)

const service = record('agency.services', {
  noun: 'service',
  tombstone: true,
  fields: {
    host_id: once(Id),
    title: given(text(200)),
    price_minor: given(Price),
    places: given(count(0, 10_000)),
  },
})

export const services = resource(service, {
  path: '/v1/services',
  one: 'service',
  many: 'services',
  of: 'tenant',
  roles: ['tenant_admin'],
  most: 1000,
  kept_days: 30,
  needs,
  fails: { create: ['host_unknown'] },
  create: async (tx, scope, body, { people }) => {
    const known = await people.membersOf(tx, scope.tenant_id, [body.host_id])
    if (!known.has(body.host_id)) throw problem('host_unknown')
    return service.insert(tx, scope, body)
  },
})

const Taken = Type.Object({ many: Type.Integer() })

/** The service, if it has a place. Bookings of one service come here one after another. */
export async function requirePlace(
  tx: Tx,
  tenant_id: string,
  service_id: string,
): Promise<Static<typeof service.view>> {
  const found = await service.lock(tx, { tenant_id }, service_id)
  const { many } = await tx.one(
    Taken,
    sql`
      select count(*)::int as many from agency.bookings
      where tenant_id = ${tenant_id} and service_id = ${service_id}
        and deleted_at is null and state <> 'cancelled'`,
  )
  if (many >= found.places) throw problem('fully_booked')
  return found
}
