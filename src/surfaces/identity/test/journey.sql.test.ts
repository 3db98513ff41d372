/** From registration to a refreshed token, a lost password and the end of a session. */
import { afterAll, describe, expect, test } from 'vitest'
import { openProductWorld, password } from '../../../../test/product-world.ts'

const world = await openProductWorld()
afterAll(() => world.close())

describe.concurrent('a person', () => {
  test('registers, logs in, sees who they are, refreshes and logs out', async () => {
    const member = await world.member()
    const me = await world.call('GET', '/v1/me', { token: member.token })
    expect(me.status).toBe(200)
    expect(me.body).toMatchObject({
      id: member.id,
      email: member.email,
      status: 'active',
      verified_at: null,
      principal_type: 'account',
      tenants: [member.tenant],
      roles: [],
      mfa: { enabled: false, types: [] },
      session: { id: member.session_id, aal: 'aal1', amr: ['pwd'] },
    })
    const refreshed = await world.call('POST', `/v1/sessions/${member.session_id}/refresh`, {
      body: { refresh_token: member.refresh_token },
    })
    expect(refreshed.status).toBe(200)
    expect(refreshed.body.session_id).toBe(member.session_id)
    expect(refreshed.body.refresh_token).toHaveLength(78)
    expect(refreshed.body.refresh_token).not.toBe(member.refresh_token)
    const token = refreshed.body.access_token
    const path = `/v1/sessions/${member.session_id}`
    expect((await world.call('DELETE', path, { token })).status).toBe(204)
    expect((await world.call('GET', '/v1/me', { token })).body.code).toBe('invalid_token')
    expect((await world.call('DELETE', path, { token })).status).toBe(204)
    const late = await world.call('POST', `${path}/refresh`, {
      body: { refresh_token: refreshed.body.refresh_token },
    })
    expect(late.status).toBe(401)
    expect(late.body.code).toBe('invalid_refresh_token')
  })

  test('proves the address with the mailed token and the registration, never the token alone', async () => {
    const tenant = await world.tenant()
    const email = 'Ann.Other@Example.test'
    const registered = await world.call('POST', '/v1/accounts', {
      body: { email, password, tenant: tenant.slug, locale: 'de-CH', display_name: 'Ann' },
    })
    const stored = 'Ann.Other@example.test'
    const [mail] = await world.mails(stored)
    expect(mail).toMatchObject({ template: 'verify_address', locale: 'de' })
    const token = mail?.token
    expect(mail?.link).not.toContain(registered.body.id)
    const prove = (more: object) =>
      world.call('POST', '/v1/email-verifications', { body: { token, ...more } })
    expect((await prove({})).body.code).toBe('one_time_token_invalid')
    expect((await prove({ password: `not ${password}` })).body.code).toBe('one_time_token_invalid')
    const proven = await prove({ registration_id: registered.body.id })
    expect(proven.status).toBe(201)
    expect(proven.body).toMatchObject({ status: 'active' })
    const progress = await world.call('GET', registered.headers.get('location') ?? '')
    expect(progress.body.status).toBe('completed')
    const again = await prove({ registration_id: registered.body.id })
    expect(again.body.code).toBe('one_time_token_invalid')
    const { body } = await world.login({ email, password, tenant })
    const me = await world.call('GET', '/v1/me', { token: body.access_token })
    expect(me.body.verified_at).toBe(proven.body.verified_at)
    expect(me.body).toMatchObject({ display_name: 'Ann', locale: 'de-CH' })
  })

  test('resets a forgotten password: sessions end, the token works once', async () => {
    const member = await world.member()
    const asked = await world.call('POST', '/v1/password-reset-requests', {
      body: { email: member.email, tenant: member.tenant.slug },
    })
    expect(asked.status).toBe(202)
    const token = (await world.mails(member.email)).at(-1)?.token
    const weak = await world.call('POST', '/v1/password-resets', {
      body: { token, new_password: 'password1234' },
    })
    expect(weak.body).toMatchObject({
      code: 'password_rejected',
      errors: [{ pointer: '/new_password', constraint: 'common_password' }],
    })
    const new_password = 'a wholly different phrase 71'
    const both = await Promise.all(
      [1, 2].map(() =>
        world.call('POST', '/v1/password-resets', { body: { token, new_password } }),
      ),
    )
    expect(both.map(one => one.status).sort((a, b) => a - b)).toEqual([204, 422])
    expect((await world.call('GET', '/v1/me', { token: member.token })).status).toBe(401)
    const old = await world.call('POST', `/v1/sessions/${member.session_id}/refresh`, {
      body: { refresh_token: member.refresh_token },
    })
    expect(old.status).toBe(401)
    expect((await world.login(member)).status).toBe(401)
    expect((await world.login({ ...member, password: new_password })).status).toBe(201)
    const progress = await world.call('GET', asked.headers.get('location') ?? '')
    expect(progress.body.status).toBe('completed')
  })

  test('changes the password: other sessions end, this one stays', async () => {
    const member = await world.member()
    const other = (await world.login(member)).body
    const wrong = await world.call('POST', '/v1/password-changes', {
      token: member.token,
      body: { current_password: 'wrong', new_password: 'a wholly different phrase 71' },
    })
    expect(wrong.body).toMatchObject({
      code: 'invalid_credentials',
      detail: 'The current password is wrong.',
    })
    const changed = await world.call('POST', '/v1/password-changes', {
      token: member.token,
      body: { current_password: password, new_password: 'a wholly different phrase 71' },
    })
    expect(changed.status).toBe(204)
    expect((await world.call('GET', '/v1/me', { token: member.token })).status).toBe(200)
    expect((await world.call('GET', '/v1/me', { token: other.access_token })).status).toBe(401)
  })

  test('moves to another address: valid once its mailbox is verified, with a mail to the old one', async () => {
    const member = await world.member()
    const email = `new-${member.email}`
    const asked = await world.call('POST', '/v1/email-changes', {
      token: member.token,
      body: { email, current_password: password },
    })
    expect(asked.status).toBe(202)
    expect((await world.login({ ...member, email })).status).toBe(401)
    const token = (await world.mails(email)).at(-1)?.token
    const forgotten = { email: member.email, tenant: member.tenant.slug }
    await world.call('POST', '/v1/password-reset-requests', { body: forgotten })
    const old_mail = (await world.mails(member.email)).at(-1)?.token
    const stranger = await world.member(member.tenant)
    const stolen = await world.call('POST', '/v1/email-verifications', {
      token: stranger.token,
      body: { token },
    })
    expect(stolen.body.code).toBe('one_time_token_invalid')
    const proven = await world.call('POST', '/v1/email-verifications', {
      token: member.token,
      body: { token },
    })
    expect(proven.status).toBe(201)
    expect((await world.login({ ...member, email })).status).toBe(201)
    expect((await world.mails(member.email)).at(-1)?.template).toBe('address_changed')
    const late = await world.call('POST', '/v1/password-resets', {
      body: { token: old_mail, new_password: 'a wholly different phrase 71' },
    })
    expect([late.status, late.body.code]).toEqual([422, 'one_time_token_invalid'])
  })

  test('changes their name under the version that they saw', async () => {
    const { token } = await world.member()
    const { headers } = await world.call('GET', '/v1/me', { token })
    const patch = (if_match: string) =>
      world.call('PATCH', '/v1/me', {
        token,
        headers: { 'if-match': if_match },
        body: { display_name: 'Grace' },
      })
    const changed = await patch(headers.get('etag') ?? '')
    expect(changed.status).toBe(200)
    expect(changed.body.display_name).toBe('Grace')
    expect((await patch(headers.get('etag') ?? '')).status).toBe(412)
    const tag = changed.headers.get('etag') ?? ''
    const same = await patch(tag)
    expect([same.status, same.headers.get('etag')]).toEqual([200, tag])
  })

  test('sees where they are logged in', async () => {
    const member = await world.member()
    await world.login(member, { device_name: 'kitchen tablet' })
    const { body } = await world.call('GET', '/v1/sessions', { token: member.token })
    expect(body.data).toHaveLength(2)
    expect(body.data[0].client_metadata.device_name).toBe('kitchen tablet')
    expect(body.data.map((one: { current: boolean }) => one.current)).toEqual([false, true])
    const all = await world.call(
      'DELETE',
      `/v1/accounts/${member.id}/sessions?except_current=true`,
      {
        token: member.token,
      },
    )
    expect(all.status).toBe(204)
    const after = await world.call('GET', '/v1/sessions', { token: member.token })
    expect(after.body.data.map((one: { revoked_at: unknown }) => one.revoked_at === null)).toEqual([
      false,
      true,
    ])
  })
})
