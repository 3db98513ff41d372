/** A mailed code ends with what makes the person's earlier secrets worthless. */
import { afterAll, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { openProductWorld, password, type Member } from '../../../../test/product-world.ts'

const world = await openProductWorld({ IDENTITY_EMAIL_SCOPE: 'global' })
afterAll(() => world.close())

async function mailed({ email }: Pick<Member, 'email'>) {
  const { body } = await world.call('POST', '/v1/login-codes', { body: { email } })
  const code = (await world.mails(email)).at(-1)?.code
  return { id: body.id as string, code }
}

const enter = async (login_code: object) =>
  (await world.call('POST', '/v1/sessions', { body: { login_code } })).status
const tokenFor = async (email: string) => (await world.mails(email)).at(-1)?.token

test('with a reset of the password', async () => {
  const member = await world.member()
  const [code, stays] = [await mailed(member), await mailed(await world.member())]
  const body = { email: member.email, tenant: member.tenant.slug }
  await world.call('POST', '/v1/password-reset-requests', { body })
  const reset = await world.call('POST', '/v1/password-resets', {
    body: { token: await tokenFor(member.email), new_password: 'another long phrase 88' },
  })
  expect(reset.status, reset.text).toBe(204)
  expect(await enter(code)).toBe(401)
  expect(await enter(stays)).toBe(201)
  expect(await enter(await mailed(member))).toBe(201)
})

test('with a change of the address', async () => {
  const member = await world.member()
  const code = await mailed(member)
  const email = `new-${newId()}@example.test`
  const { token } = member
  const body = { email, current_password: password }
  await world.call('POST', '/v1/email-changes', { token, body })
  const proof = { token: await tokenFor(email) }
  const changed = await world.call('POST', '/v1/email-verifications', { token, body: proof })
  expect(changed.status, changed.text).toBe(201)
  expect(await enter(code)).toBe(401)
})
