/** Which reason of a suppressed address counts. */
import { afterAll, expect, test } from 'vitest'
import { newKey } from '../../../../test/world.ts'
import { newAddress, openNotifyWorld, usual_data } from './notify-world.ts'

const world = await openNotifyWorld()
afterAll(() => world.close())

test('a bounce counts although a complaint came first', async () => {
  const who = await world.sender()
  const email = newAddress()
  const name = await world.template(who)
  const mail = async (): Promise<string> => {
    const { body } = await world.send(who, {
      recipient: { email },
      category: 'order.updates',
      template: { name },
      data: usual_data,
      channels: ['email'],
    })
    return body.id
  }
  const report = async (id: string, body: object) =>
    (await world.call('POST', `/dev/inbox/messages/${id}/outcome`, { body })).body.status
  for (const id of [await mail(), await mail()]) {
    await world.reaches(who, id, 'sent')
  }
  const [second, first] = await world.messages(email)
  expect(await report(first.id, { type: 'complained' })).toBe(204)
  const path = '/v1/suppressions'
  const before = (await world.call('GET', path, { token: who.token })).body.data
  expect(before).toMatchObject([{ reason: 'complaint' }])
  expect(await report(second.id, { type: 'bounced' })).toBe(204)
  const after = (await world.call('GET', path, { token: who.token })).body.data
  expect(after).toMatchObject([{ id: before[0].id, reason: 'hard_bounce' }])
})

test('the suppressions of an address are found by the address', async () => {
  const [who, other] = [await world.sender(), await world.sender()]
  const [first, second] = [newAddress(), newAddress()]
  const path = '/v1/suppressions'
  for (const destination of [first, second]) {
    const body = { destination, channel: 'email' }
    const made = await world.call('POST', path, { token: who.token, key: newKey(), body })
    expect(made.status, made.text).toBe(201)
  }
  const find = (token: string, destination: string) =>
    world.call('GET', `${path}?destination=${encodeURIComponent(destination)}`, { token })
  const found = (await find(who.token, first.toUpperCase())).body.data
  expect(found).toMatchObject([{ channel: 'email', reason: 'manual' }])
  expect((await find(who.token, newAddress())).body.data).toEqual([])
  expect((await find(other.token, first)).body.data).toEqual([])
  expect((await find(who.token, 'no address')).body.code).toBe('invalid_destination')
})

test('suppressions have a range of time and are CSV, within one tenant', async () => {
  const [who, other] = [await world.sender(), await world.sender()]
  const path = '/v1/suppressions'
  const suppress = async (by: typeof who, body: object) =>
    (await world.call('POST', path, { token: by.token, key: newKey(), body })).body
  const mail = await suppress(who, { destination: newAddress(), channel: 'email' })
  const sms = await suppress(who, { destination: '+491701234567', channel: 'sms' })
  const foreign = await suppress(other, { destination: newAddress(), channel: 'email' })
  const ask = (query: string, headers = {}) =>
    world.call('GET', `${path}?${query}`, { token: who.token, headers })
  const ids = async (query: string) =>
    (await ask(query)).body.data.map((one: { id: string }) => one.id)
  expect(await ids('')).toEqual([sms.id, mail.id])
  expect(await ids('channel=email')).toEqual([mail.id])
  expect(await ids(`since=${sms.effective_at}`)).toEqual([sms.id])
  expect(await ids(`until=${sms.effective_at}`)).toEqual([mail.id])
  expect(await ids(`find=${mail.id}`)).toEqual([mail.id])
  expect(await ids(`find=${foreign.id}`)).toEqual([])
  const { text } = await ask('channel=sms', { accept: 'text/csv' })
  expect(text.replace('\u{feff}', '').split('\r\n')).toEqual([
    'id,destination_hash,channel,category,reason,effective_at',
    `${sms.id},${sms.destination_hash},sms,*,manual,${sms.effective_at}`,
    '',
  ])
})
