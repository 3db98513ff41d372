/** Mails reach a real SMTP server (the sandbox's) with the token, and the rows keep none. */
import { afterAll, expect, test } from 'vitest'
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import { openProductWorld, password } from '../../../../test/product-world.ts'
import { eventually } from '../../../../test/world.ts'

const world = await openProductWorld()
afterAll(() => world.close())

type Message = { to: string[] | string; subject: string }

test('a registration is confirmed with the code from the inbox', async () => {
  const tenant = await world.tenant()
  const email = 'inbox@example.test'
  const { body } = await world.call('POST', '/v1/accounts', {
    body: { email, password, tenant: tenant.slug },
  })
  const message = await eventually('the mail arrives', async () => {
    const { body: list } = await world.call('GET', `/dev/inbox/messages?to=${email}`)
    return (list.data as (Message & { id: string })[]).at(0)
  })
  expect(message.subject).toBe('Confirm your address')
  const { text } = await world.call('GET', `/dev/inbox/messages/${message.id}`)
  const token = /ot_[A-Za-z0-9_-]{43}/.exec(text)?.[0]
  const proven = await world.call('POST', '/v1/email-verifications', {
    body: { token, registration_id: body.id },
  })
  expect(proven.status).toBe(201)
  const row = await world.platform.kernel.db.one(
    Type.Object({ whole: Type.String() }),
    sql`select m::text as whole from identity.mails m where address = ${email}`,
  )
  expect(row.whole).not.toContain(token)
})

test('a German account is written to in German', async () => {
  const tenant = await world.tenant()
  const email = 'post@example.test'
  await world.call('POST', '/v1/accounts', {
    body: { email, password, tenant: tenant.slug, locale: 'de-AT' },
  })
  const message = await eventually('the mail arrives', async () => {
    const { body: list } = await world.call('GET', `/dev/inbox/messages?to=${email}`)
    return (list.data as (Message & { html: string })[]).at(0)
  })
  expect(message.subject).toBe('Bestätigen Sie Ihre Adresse')
  expect(message.html).toContain('Adresse bestätigen')
})
