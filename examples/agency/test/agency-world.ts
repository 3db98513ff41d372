/** The agency under test: its people, what they do, and what is left of it in each surface. */
import { createHash } from 'node:crypto'
import { equal } from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { sql, Type } from 'dodeca'
import { eventually, newKey, openApp, type Answer, type Member, type World } from 'dodeca/testing'
import app from '../dodeca.config.ts'

type Call = World['call']

/**
 * Work that a killed process had begun goes on after two seconds, a payment after five and six times the
 * limit of its calls, and retries come soon.
 */
const quick = {
  JOBS_LEASE_SECONDS: '2',
  JOBS_LEASE_LOSSES: '100',
  PAYMENTS_PROVIDER_TIMEOUT_MS: '2000',
  PAYMENTS_RESOLVE_FIRST_SECONDS: '0.1',
  UPLOADS_SWEEP_SECONDS: '0.2',
}

export function openAgency(settings: Record<string, string> = {}): Promise<World> {
  return openApp(app, { ...quick, ...settings }, fileURLToPath(new URL('..', import.meta.url)))
}

export type Agency = { readonly host: Member; readonly customer: Member; readonly service: string }

/** A tenant with a host, a customer whose address is proven, and a service. */
export async function agencyOf(world: World, places = 10): Promise<Agency> {
  const host = await world.member()
  await world.give(host, 'tenant_admin')
  const admin = await again(world, host)
  const customer = await world.member(host.tenant)
  await world.db.run(sql`
    update identity.accounts set verified_at = kernel.now()
    where tenant_id = ${customer.tenant.id} and id in (${customer.id}, ${host.id})`)
  const body = { title: 'A portrait', price_minor: 12_000, places, host_id: host.id }
  const made = await expectOk(world.call('POST', '/v1/services', { token: admin.token, body }))
  return { host: admin, customer, service: made.id }
}

/** The same person in a new session: with the roles of now, or after days. */
export async function again(world: World, who: Member): Promise<Member> {
  const { access_token } = await expectOk(world.login(who))
  return { ...who, token: access_token }
}

export async function expectOk(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, text, body } = await answer
  equal(status < 300, true, `${status} ${text}`)
  return body
}

export const book = (call: Call, { token }: Member, service_id: string, key = newKey()) =>
  call('POST', '/v1/bookings', { token, key, body: { service_id } })

export const pay = (
  call: Call,
  { token }: Member,
  id: string,
  { key = newKey(), card = 'pm_card_visa' } = {},
) => call('POST', `/v1/bookings/${id}/pay`, { token, key, body: { payment_method: card } })

export const see = (world: World, { token }: Member, id: string) =>
  world.call('GET', `/v1/bookings/${id}`, { token })

export function reached(world: World, who: Member, id: string, state: string): Promise<unknown> {
  return eventually(`the booking is ${state}`, async () => {
    const { body } = await see(world, who, id)
    return body.state === state
  })
}

/** A file of the host that is available. */
export async function upload(world: World, { token }: Pick<Member, 'token'>): Promise<string> {
  const bytes = Buffer.from(`the work ${newKey()}`)
  const asked = { purpose: 'agency.work', media_category: 'any', filename: 'portrait.txt' }
  const body = { ...asked, expected_size: bytes.length }
  const made = await expectOk(world.call('POST', '/v1/uploads', { token, body }))
  const { upload_url, upload_headers, id } = made
  const sent = await fetch(upload_url.replace('http://dodeca.test', world.url), {
    method: 'PUT',
    body: bytes,
    headers: upload_headers ?? {},
  })
  equal(sent.ok, true)
  const checksum = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const done = { token, key: newKey(), body: { checksum } }
  const { file_id } = await expectOk(world.call('POST', `/v1/uploads/${id}/complete`, done))
  await eventually('the file is available', async () => {
    const { body: file } = await world.call('GET', `/v1/files/${file_id}`, { token })
    return file.state === 'available'
  })
  return file_id
}

const Found = Type.Object({
  bookings: Type.Integer(),
  payments: Type.Integer(),
  rooms: Type.Integer(),
  workflows: Type.Integer(),
  created: Type.Integer(),
})

/** How many bookings of the tenant there are, and how many of each thing that belongs to one. */
export function found(world: World, tenant_id: string) {
  return world.db.one(
    Found,
    sql`
      select
        (select count(*)::int from agency.bookings where tenant_id = ${tenant_id}) as bookings,
        (select count(*)::int from payments.payment_intents where tenant_id = ${tenant_id}) as payments,
        (select count(*)::int from chat.conversations where tenant_id = ${tenant_id}) as rooms,
        (select count(*)::int from jobs.jobs
          where tenant_id = ${tenant_id} and type = 'agency.booking') as workflows,
        (select count(*)::int from (
          select id from kernel.events where tenant_id = ${tenant_id} and type = 'booking.created'
          union select id from kernel.outbox_events
          where tenant_id = ${tenant_id} and type = 'booking.created') e) as created`,
  )
}

const Ended = Type.Object({
  paid: Type.Integer(),
  paid_events: Type.Integer(),
  captured: Type.Integer(),
  messages: Type.Integer(),
  succeeded: Type.Integer(),
})

/** How often each end of a booking happened in the tenant. */
export function ended(world: World, tenant_id: string) {
  const events = (type: string) => sql`
    (select count(*)::int from kernel.events where tenant_id = ${tenant_id} and type = ${type})`
  return world.db.one(
    Ended,
    sql`
      select
        (select count(*)::int from agency.bookings
          where tenant_id = ${tenant_id} and state = 'paid') as paid,
        ${events('booking.paid')} as paid_events,
        ${events('payment.captured')} as captured,
        (select count(*)::int from chat.messages where tenant_id = ${tenant_id}) as messages,
        (select count(*)::int from jobs.jobs where tenant_id = ${tenant_id}
          and type = 'agency.booking' and state = 'succeeded') as succeeded`,
  )
}
