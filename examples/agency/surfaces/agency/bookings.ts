/** A customer books, pays and gets a file. A booking is one commit with its payment, room and workflow. */
import { Id, nullable, oneOf, reply, resource, text, Time, Type } from 'dodeca'
import { closed } from 'dodeca/kernel'
import { booking, move } from './booking.ts'
import { needs } from './needs.ts'
import { problem, requirePlace } from './services.ts'

const Payment = Type.Object(
  {
    state: text(50),
    amount_minor: Type.Integer(),
    currency: text(3),
    declined: nullable(Type.Object({ code: text(255), operation_id: nullable(Id) })),
  },
  { title: 'BookingPayment' },
)
/** What a program or a model that pays reads: what has happened, and what to do next. */
const Begun = closed(
  { operation_id: Id, state: oneOf('pending'), next: text(500) },
  { title: 'BookingPaymentBegun' },
)
const next =
  'The card is charged now, and the booking is not paid yet. Get the booking until its state is `paid`. If its payment shows `declined` with this operation_id, the card was declined: ask for another card, and pay again.'
const Download = Type.Object(
  { url: text(4096), expires_at: Time, filename: nullable(text(255)) },
  { title: 'BookingDownload' },
)

export const bookings = resource(booking, {
  path: '/v1/bookings',
  one: 'booking',
  many: 'bookings',
  of: 'owner',
  most: 1000,
  kept_days: 30,
  needs,
  filters: ['state'],
  data: ['service_id', 'host_id'],
  without: ['change', 'remove'],
  fails: { create: ['service_not_found', 'fully_booked', 'member_unknown'] },
  create: async (tx, { tenant_id, owner_id }, { service_id }, { payments, rooms, jobs }) => {
    const { host_id, title, price_minor } = await requirePlace(tx, tenant_id, service_id)
    const values = { service_id, host_id, title, price_minor }
    const booked = await booking.insert(tx, { tenant_id, owner_id }, values)
    const its = { id: booked.id, tenant_id }
    const price = { amount_minor: price_minor, currency: 'EUR', customer_account_id: owner_id }
    await payments.createIntent(tx, { ...its, ...price, order_ref: booked.id })
    await rooms.open(tx, { ...its, title, member_ids: [owner_id, host_id] })
    const parameters = { booking_id: booked.id, customer_id: owner_id }
    await jobs.submit(tx, { ...its, type: 'agency.booking', principal_id: owner_id, parameters })
    return booked
  },
  routes: ({ get, post }, { scopeOf }) => ({
    payBooking: post(
      '/v1/bookings/{booking_id}/pay',
      'Pay a booking with a card',
      {
        description:
          'Begins to charge the card and does not wait for the end. `next` says how to see whether the booking is paid.',
        tool: 'confirm',
        idempotency: 'required',
        body: closed({ payment_method: text(255) }),
        replies: { 202: Begun },
        sends: ['location'],
        fails: ['invalid_transition', 'operation_pending', 'card_data_refused', 'rate_limited'],
      },
      async ({ tx, principal, params, body }, { payments }) => {
        const { id: customer_account_id, tenant_id } = principal
        const { id } = await booking.lock(tx, scopeOf(principal), params.booking_id)
        const order = { tenant_id, intent_id: id, type: 'authorize', customer_account_id } as const
        const { operation_id } = await payments.begin(tx, { ...order, ...body })
        const begun = { operation_id, state: 'pending', next } as const
        return reply(202, begun, { location: `/v1/bookings/${id}/payment` })
      },
    ),
    getBookingPayment: get(
      '/v1/bookings/{booking_id}/payment',
      'Get the payment of a booking',
      {
        description:
          '`declined` is the last card that was refused, with the operation that tried it.',
        tool: 'read',
        reply: Payment,
      },
      async ({ tx, principal, params }, { payments }) => {
        const { id } = await booking.required(tx, scopeOf(principal), params.booking_id)
        const intent = await payments.find(tx, { tenant_id: principal.tenant_id, id })
        const { state = 'cancelled', amount_minor = 0, currency = 'EUR', last_error } = intent ?? {}
        const declined = last_error && {
          code: last_error.decline_code ?? last_error.code,
          operation_id: last_error.operation_id,
        }
        return { state, amount_minor, currency, declined: declined ?? null }
      },
    ),
    deliverBooking: post(
      '/v1/bookings/{booking_id}/deliver',
      'Deliver a file for a booking',
      {
        permission: 'agency.bookings.deliver',
        body: closed({ file_id: Id }),
        reply: booking.view,
        fails: ['invalid_transition', 'file_not_found'],
      },
      async ({ tx, principal, params, body: { file_id } }, { files, rooms }) => {
        const { tenant_id } = principal
        await files.requireAvailable(tx, principal, file_id, ['agency.work'])
        const values = { state: 'delivered', file_id } as const
        const row = await move(tx, { tenant_id }, params.booking_id, 'paid', values)
        await rooms.send(tx, { tenant_id, conversation_id: row.id, body: 'Your file is ready.' })
        return row
      },
    ),
    downloadBooking: get(
      '/v1/bookings/{booking_id}/download',
      'Get an address for the file of a booking',
      { reply: Download, fails: ['not_delivered', 'file_not_found'] },
      async ({ tx, principal, params }, { files }) => {
        const { file_id } = await booking.required(tx, scopeOf(principal), params.booking_id)
        if (!file_id) throw problem('not_delivered')
        const { tenant_id } = principal
        const { url, expires_at, filename } = await files.signDownload(tx, { tenant_id, file_id })
        return { url, expires_at, filename }
      },
    ),
  }),
})
