/** What was set up in an account before its owner proved the mailbox does not read the owner's files. */
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { openRetrievalWorld } from './retrieval-world.ts'

const world = await openRetrievalWorld()
afterAll(() => world.close())

test('a connector from before the account had its owner is paused, and can be resumed', async () => {
  const squatter = await world.reader()
  const { email, tenant } = squatter
  const id = await squatter.collection()
  const connector = { kind: 'uploads' }
  const made = await squatter.does('POST', `/v1/collections/${id}/connectors`, connector)
  expect(made.state).toBe('active')

  await world.call('POST', '/v1/password-reset-requests', { body: { email, tenant: tenant.slug } })
  const mail = await eventually('a reset is mailed', async () =>
    (await world.mails(email)).findLast(one => one.template === 'reset_password'),
  )
  const new_password = 'another long and honest password'
  const body = { token: mail.token, new_password }
  expect((await world.call('POST', '/v1/password-resets', { body })).status).toBe(204)
  const login = await world.login({ ...squatter, password: new_password })
  const token = login.body.access_token as string
  const path = `/v1/connectors/${made.id}`
  const state = async () =>
    (await world.call('GET', path, { token })).body.state as string | undefined
  await eventually('the connector is paused', async () => (await state()) === 'paused')
  const resumed = await world.call('PATCH', path, { token, body: { state: 'active' } })
  expect(resumed.status, resumed.text).toBe(200)
  expect(await state()).toBe('active')
})
