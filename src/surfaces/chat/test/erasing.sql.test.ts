/** A deleted message keeps nothing of its attachments, whatever happened to their files before. */
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { eventually, newKey } from '../../../../test/world.ts'
import { nullable, sql } from '#dodeca/kernel'
import { openChatWorld, type Talker } from './chat-world.ts'

const world = await openChatWorld()
afterAll(() => world.close())

const Name = Type.Object({ state: Type.String(), filename: nullable(Type.String()) })

test('the name of a file that was deleted first goes with the message', async () => {
  const [ada, bob] = (await world.people(2)) as [Talker, Talker]
  const id = await ada.group([bob])
  const bytes = Buffer.from('the route of the hike')
  const begun = await ada.ask('POST', '/v1/attachments/uploads', {
    conversation_id: id,
    filename: 'route of Ada.txt',
    expected_size: bytes.length,
  })
  expect(begun.status, begun.text).toBe(201)
  const { attachment_id, upload } = begun.body
  await world.send(upload, bytes)
  const checksum = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const parts = [{ part_number: 1 }]
  expect((await world.complete(ada, upload.upload_id, { parts, checksum })).status).toBe(202)
  const at = `/v1/conversations/${id}/messages`
  const message = await eventually('the attachment may be sent', async () => {
    const body = { attachment_ids: [attachment_id] }
    const answer = await ada.ask('POST', at, body, { key: newKey() })
    return answer.status === 201 && answer.body
  })
  const stored = async () =>
    await world.platform.kernel.db.one(
      Name,
      sql`
        select state, filename from chat.attachments
        where tenant_id = ${ada.tenant.id} and id = ${attachment_id}`,
    )
  const { file_id } = await eventually('the file is available', async () => {
    const [shown] = (await ada.history(id)).data
    return shown.attachments[0].state === 'available' && shown.attachments[0]
  })
  expect((await ada.ask('DELETE', `/v1/files/${file_id}`)).status).toBe(204)
  await eventually('the attachment is deleted', async () => (await stored()).state === 'deleted')
  expect((await ada.ask('DELETE', `${at}/${message.id}`)).status).toBe(204)
  expect((await stored()).filename).toBeNull()
})

test('an attachment that is being sent is not discarded, although its time is over', async () => {
  const [ada, bob] = (await world.people(2)) as [Talker, Talker]
  const id = await ada.group([bob])
  const begun = await ada.ask('POST', '/v1/attachments/uploads', {
    conversation_id: id,
    filename: 'route.txt',
    expected_size: 10,
  })
  const { attachment_id } = begun.body
  const { db } = world.platform.kernel
  const whose = sql`tenant_id = ${ada.tenant.id} and id = ${attachment_id}`
  await db.run(sql`
    update chat.attachments set state = 'processing', expires_at = kernel.now() - interval '1 minute'
    where ${whose}`)
  const [held, released] = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()]
  const sending = db.tx(async tx => {
    await tx.run(sql`
      select from chat.conversations
      where tenant_id = ${ada.tenant.id} and id = ${id} for no key update`)
    held.resolve(true)
    await released.promise
    await tx.run(sql`update chat.attachments set message_id = id where ${whose}`)
  })
  await held.promise
  const loops = world.platform.opened['chat']?.loops ?? []
  const sweep = loops.find(one => one.name === 'chat.unsent_attachments')
  const swept = sweep?.run(new AbortController().signal)
  const waits = sql`
    select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  try {
    await eventually('the sweep waits', async () => (await db.run(waits)) > 0)
  } finally {
    released.resolve(true)
  }
  await Promise.all([sending, swept])
  expect(await db.run(sql`select from chat.attachments where ${whose}`)).toBe(1)
})

test('an attachment whose upload takes longer than its time can be sent afterwards', async () => {
  const [ada, bob] = (await world.people(2)) as [Talker, Talker]
  const id = await ada.group([bob])
  const bytes = Buffer.from('a long way')
  const begun = await ada.ask('POST', '/v1/attachments/uploads', {
    conversation_id: id,
    expected_size: bytes.length,
  })
  const { attachment_id, upload } = begun.body
  await world.platform.kernel.db.run(sql`
    update chat.attachments set expires_at = kernel.now() - interval '1 minute'
    where tenant_id = ${ada.tenant.id} and id = ${attachment_id}`)
  const loops = world.platform.opened['chat']?.loops ?? []
  const sweep = loops.find(one => one.name === 'chat.unsent_attachments')
  await sweep?.run(new AbortController().signal)
  await world.send(upload, bytes)
  const checksum = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  expect((await world.complete(ada, upload.upload_id, { checksum })).status).toBe(202)
  const found = sql`
    select from chat.attachments where tenant_id = ${ada.tenant.id} and id = ${attachment_id}
      and state = 'available' and expires_at > kernel.now()`
  await eventually(
    'it is available, and has time',
    async () => (await world.platform.kernel.db.run(found)) > 0,
  )
  await sweep?.run(new AbortController().signal)
  const at = `/v1/conversations/${id}/messages`
  const sent = await ada.ask('POST', at, { attachment_ids: [attachment_id] }, { key: newKey() })
  expect(sent.status, sent.text).toBe(201)
})

test('a direct conversation is closed when one of the two is erased', async () => {
  const [ada, bob] = (await world.people(2)) as [Talker, Talker]
  const id = await ada.direct(bob)
  expect((await ada.send(id, 'hello')).status).toBe(201)
  expect((await bob.ask('DELETE', `/v1/accounts/${bob.id}`)).status).toBe(204)
  const path = `/v1/conversations/${id}`
  const shown = await eventually('bob has left', async () => {
    const { body } = await ada.ask('GET', path)
    return body.member_count === 1 && body
  })
  expect(shown.state).toBe('closed')
  const refused = await ada.send(id, 'are you there?')
  expect([refused.status, refused.body.code]).toEqual([409, 'conversation_closed'])
  expect((await ada.history(id)).data).toHaveLength(1)
})
