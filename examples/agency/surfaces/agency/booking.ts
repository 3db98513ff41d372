/** The row of a booking, its events, and the one way in which its state changes. */
import { Id, nullable, once, oneOf, record, shown, text, Type, UserId } from 'dodeca'
import type { Static, Tx } from 'dodeca'
import { Price } from './services.ts'

export const booking = record('agency.bookings', {
  noun: 'booking',
  tombstone: true,
  fields: {
    owner_id: shown(UserId),
    service_id: once(Id),
    host_id: shown(Id),
    title: shown(text(200)),
    price_minor: shown(Price),
    state: shown(oneOf('open', 'paid', 'delivered', 'cancelled'), 'open'),
    file_id: shown(nullable(Id), null),
  },
})

const moved = {
  version: 1,
  data: Type.Object({
    booking_id: Id,
    owner_id: Id,
    host_id: Id,
    service_id: Id,
    title: text(200),
    price_minor: Price,
  }),
}
export const events = {
  'booking.paid': moved,
  'booking.delivered': moved,
  'booking.cancelled': moved,
}

type Booking = Static<typeof booking.view>
type Scope = { readonly tenant_id: string; readonly owner_id?: string }

/** One conditional statement decides a race. The event is in the same commit. */
export async function move(
  tx: Tx,
  scope: Scope,
  id: string,
  from: Booking['state'],
  values: { readonly state: Exclude<Booking['state'], 'open'>; readonly file_id?: string },
): Promise<Booking> {
  const row = await booking.update(tx, scope, id, values, { from: { state: from } })
  const { owner_id, host_id, service_id, title, price_minor } = row
  tx.emit({
    type: `booking.${row.state}`,
    tenant_id: scope.tenant_id,
    aggregate_type: 'booking',
    aggregate_id: id,
    aggregate_version: row.version,
    data: { booking_id: id, owner_id, host_id, service_id, title, price_minor },
  })
  return row
}
