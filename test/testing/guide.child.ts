/** Leads: what every route must bear, that one of ten wins, and what a crash leaves. */
import { deepEqual, equal } from 'node:assert/strict'
import { after, test } from 'node:test'
import { contract, killed, newKey, openApp } from '../../src/testing/entry.ts'
import app from './dodeca.config.ts'

let world = await openApp(app)
after(() => world.close())

const lead = () => ({ title: newKey(), amount_minor: 1999 })

// A title exists once, so the smallest body that fits the schema would succeed once.
const recipes = { 'POST /v1/leads': { request: () => ({ body: lead() }) } }
for (const { name, run } of contract(world, { recipes })) test(name, run)

test('of ten who win a lead at once, one wins it', async () => {
  const { token } = await world.member()
  const made = await world.call('POST', '/v1/leads', { token, body: lead() })
  const win = () => world.call('POST', `/v1/leads/${made.body.id}/win`, { token })
  const answers = await Promise.all(Array.from({ length: 10 }, win))
  equal(answers.filter(one => one.status === 200).length, 1)
  const events = await world.events({ aggregate_id: made.body.id }, 2)
  deepEqual(
    events.map(one => one.type),
    ['lead.created', 'lead.changed'],
  )
})

test('a crash after the commit: the same key finds the lead', async () => {
  const { token } = await world.member()
  const request = { token, key: newKey(), body: lead() }
  world = await killed(world, 'kernel.after_commit', victim =>
    victim.call('POST', '/v1/leads', request),
  )
  const again = await world.call('POST', '/v1/leads', request)
  deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true'])
  const { body } = await world.call('GET', '/v1/leads', { token })
  equal(body.data.length, 1)
})
