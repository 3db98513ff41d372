/** SMS, Web Push and FCM over the vendors' protocols, and what their reports and refusals lead to. */
import { afterAll, describe, expect, test } from 'vitest'
import { eventually, newKey } from '../../../../test/world.ts'
import type { Member } from '../../../../test/product-world.ts'
import { newId } from '#dodeca/kernel'
import { newAddress, openNotifyWorld, usual_data } from './notify-world.ts'

const world = await openNotifyWorld()
afterAll(() => world.close())

const newPhone = () => `+4930${String(Math.floor(1e7 + (Number(`0x${newId().slice(-7)}`) % 9e7)))}`

async function send(who: Member, recipient: object, channel: string) {
  const name = await world.template(who)
  const sent = await world.send(who, {
    recipient,
    category: 'order.updates',
    template: { name },
    data: usual_data,
    channels: [channel],
  })
  expect(sent.status, sent.text).toBe(202)
  return sent.body.id as string
}

function device(who: Member, body: object) {
  return world.call('POST', `/v1/users/${who.id}/destinations`, {
    token: who.token,
    key: newKey(),
    body,
  })
}

async function report(id: string, body: object) {
  const answer = await world.call('POST', `/dev/inbox/messages/${id}/outcome`, { body })
  return answer.body.status
}

describe.concurrent('an SMS', () => {
  test('arrives, and is delivered when the vendor says so', async () => {
    const who = await world.shared()
    const phone = newPhone()
    const id = await send(who, { phone }, 'sms')
    await world.reaches(who, id, 'sent')
    const [message] = await world.messages(phone)
    expect(message).toMatchObject({
      channel: 'sms',
      provider: 'dev_sms',
      text: 'Order A-17 is here, Ada',
    })
    expect(await report(message.id, { type: 'delivered', signature: 'bad' })).toBe(401)
    expect(await report(message.id, { type: 'delivered' })).toBe(204)
    expect(await report(message.id, { type: 'delivered' })).toBe(204)
    const found = await world.reaches(who, id, 'delivered')
    expect(found.events).toHaveLength(1)
  })

  test('goes over the second vendor where the first refuses for now', async () => {
    const who = await world.shared()
    const phone = newPhone()
    await world.fault({ channel: 'sms', provider: 'dev_sms', to: phone, mode: 'reject_temp' })
    const id = await send(who, { phone }, 'sms')
    const found = await world.reaches(who, id, 'sent')
    expect(found.attempts).toMatchObject([
      { provider: 'dev_sms', attempt_no: 1, state: 'deferred', error_code: 'provider_unavailable' },
      { provider: 'dev_sms2', attempt_no: 2, state: 'accepted' },
    ])
    expect(await world.messages(phone)).toHaveLength(1)
  })

  test('accepted in silence is found at the vendor and not sent again', async () => {
    const who = await world.shared()
    const phone = newPhone()
    await world.fault({ channel: 'sms', to: phone, mode: 'timeout_after_accept', delay_ms: 200 })
    const id = await send(who, { phone }, 'sms')
    const found = await world.reaches(who, id, 'sent')
    expect(found.attempts).toMatchObject([{ state: 'accepted', error_code: null }])
    expect(await world.messages(phone)).toHaveLength(1)
  })

  test('that the vendor never had is sent again although an equal one is there', async () => {
    const who = await world.shared()
    const phone = newPhone()
    await world.reaches(who, await send(who, { phone }, 'sms'), 'sent')
    await world.fault({ channel: 'sms', to: phone, mode: 'timeout_before_accept', delay_ms: 200 })
    const id = await send(who, { phone }, 'sms')
    const found = await world.reaches(who, id, 'sent')
    expect(found.attempts).toMatchObject([
      { attempt_no: 1, state: 'deferred', error_code: 'outcome_unknown' },
      { attempt_no: 2, state: 'accepted' },
    ])
    expect(await world.messages(phone)).toHaveLength(2)
  })

  test('to a number that does not exist fails, and the number is suppressed', async () => {
    const who = await world.shared()
    const phone = newPhone()
    await world.fault({ channel: 'sms', to: phone, mode: 'reject_perm' })
    const id = await send(who, { phone }, 'sms')
    const found = await world.reaches(who, id, 'failed')
    expect(found.attempts).toMatchObject([{ state: 'failed', error_code: 'invalid_destination' }])
    const again = await send(who, { phone }, 'sms')
    const second = await world.reaches(who, again, 'suppressed')
    expect(second.channels).toMatchObject([{ reason: 'suppressed' }])
  })
})

describe.concurrent('a push message', () => {
  test('reaches a browser, which can decrypt it, and is not sent to one that has gone', async () => {
    const who = await world.sender()
    const made = await world.call('POST', '/dev/inbox/push-subscriptions')
    const subscription = made.body
    const added = await device(who, { channel: 'push', provider: 'webpush', subscription })
    expect(added.status, added.text).toBe(201)
    await world.reaches(who, await send(who, { user_id: who.id }, 'push'), 'sent')
    const [message] = await world.messages(subscription.endpoint)
    expect(message).toMatchObject({ subject: 'Order A-17', text: 'It is here, Ada' })
    await world.fault({ channel: 'push', to: subscription.endpoint, mode: 'gone' })
    const failed = await world.reaches(who, await send(who, { user_id: who.id }, 'push'), 'failed')
    expect(failed.attempts).toMatchObject([{ error_code: 'destination_gone' }])
    const third = await world.reaches(
      who,
      await send(who, { user_id: who.id }, 'push'),
      'suppressed',
    )
    expect(third.channels).toMatchObject([{ reason: 'no_destination' }])
  })

  test('goes to each device of a user, over FCM too', async () => {
    const who = await world.sender()
    const tokens = [newId(), newId()]
    for (const token of tokens) await device(who, { channel: 'push', provider: 'fcm', token })
    const found = await world.reaches(who, await send(who, { user_id: who.id }, 'push'), 'sent')
    expect(found.attempts).toHaveLength(2)
    for (const token of tokens) expect(await world.messages(token)).toHaveLength(1)
  })

  test.each([
    'https://169.254.169.254/push',
    'https://localhost/x',
    'http://fcm.googleapis.com/x',
    'https://fcm.googleapis.com.evil.example/x',
    'https://user:pw@fcm.googleapis.com/x',
  ])('has no endpoint like %s', async endpoint => {
    const who = await world.member()
    const { keys } = (await world.call('POST', '/dev/inbox/push-subscriptions')).body
    const added = await device(who, {
      channel: 'push',
      provider: 'webpush',
      subscription: { endpoint, keys },
    })
    expect(added.status).toBe(422)
  })
})

describe.concurrent('a destination', () => {
  test('is used once its code was given, and five wrong codes end it', async () => {
    const who = await world.member()
    const email = newAddress()
    const added = await device(who, { channel: 'email', address: email })
    expect(added.body).toMatchObject({
      verified_at: null,
      destination: expect.stringContaining('***'),
    })
    const [mail] = await eventually('the code arrives', async () => {
      const found = await world.messages(email)
      return found.length > 0 && found
    })
    const code = /\b\d{6}\b/.exec(mail.text)?.[0] ?? ''
    const path = `/v1/users/${who.id}/destinations/${added.body.id}/verify`
    const wrong = code === '000000' ? '000001' : '000000'
    const give = (given: string) =>
      world.call('POST', path, { token: who.token, body: { code: given } })
    expect((await give(wrong)).body.code).toBe('code_invalid')
    const verified = await give(code)
    expect(verified.status, verified.text).toBe(200)
    expect(verified.body.verified_at).not.toBeNull()
    const other = await device(who, { channel: 'email', address: newAddress() })
    const second = `/v1/users/${who.id}/destinations/${other.body.id}/verify`
    for (let tries = 0; tries < 6; tries++) {
      const tried = await world.call('POST', second, { token: who.token, body: { code: '123456' } })
      expect(tried.status).toBe(422)
    }
  })

  test('of another person is not there', async () => {
    const [who, other] = [await world.member(), await world.member()]
    const path = `/v1/users/${other.id}/destinations`
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? { channel: 'email', address: newAddress() } : undefined
      const answer = await world.call(method, path, { token: who.token, key: newKey(), body })
      expect([answer.status, answer.body.code]).toEqual([404, 'user_not_found'])
    }
  })
})
