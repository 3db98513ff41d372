/** Jobs of the same document that are retried, overlap or race with its collection. */
import { afterAll, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { holdAt } from '../../../../test/hold.ts'
import { eventually } from '../../../../test/world.ts'
import { ended, openRetrievalWorld } from './retrieval-world.ts'

const world = await openRetrievalWorld()
afterAll(() => world.close())
const { db } = world.platform.kernel

test('a job that is retried twice keeps the version that the first retry made', async () => {
  const ada = await world.reader()
  const id = await ada.collection()
  const held = holdAt(world.platform.faults, 'retrieval.before_chunk', { match: ada.tenant.id })
  const text = 'The lighthouse keeper has a parrot.'
  const { job_id } = await ada.does('POST', `/v1/collections/${id}/documents`, { text })
  await held.reached()
  await ada.does('POST', `/v1/ingestion-jobs/${job_id}/cancel`)
  held.release()
  expect(await ended(ada.job, job_id)).toMatchObject({ state: 'cancelled' })
  for (const _ of [1, 2]) {
    const { id: again } = await ada.does('POST', `/v1/ingestion-jobs/${job_id}/retry`)
    expect(await ended(ada.job, again)).toMatchObject({ state: 'succeeded' })
    expect((await ada.search(id, 'parrot')).map(hit => hit.text)).toEqual([text])
  }
})

test('the text that was sent last is served, also when it is that of the served version', async () => {
  const ada = await world.reader()
  const id = await ada.collection()
  const [first, second] = ['The shop opens at nine.', 'The shop opens at ten.']
  const put = (text: string) =>
    ada.does('POST', `/v1/collections/${id}/documents`, { text, source_uri: 'hours' })
  await ada.add(id, first, { source_uri: 'hours' })
  const held = holdAt(world.platform.faults, 'retrieval.before_extract', { match: ada.tenant.id })
  const jobs = [await put(second)]
  await held.reached()
  jobs.push(await put(first))
  held.release()
  for (const { job_id } of jobs) await ended(ada.job, job_id)
  expect((await ada.search(id, 'shop')).map(hit => hit.text)).toEqual([first])
})

test('a collection that is deleted while a document is added does not keep it', async () => {
  const ada = await world.reader()
  const id = await ada.collection()
  const adding = await db.tx(async tx => {
    await tx.run(sql`
      update retrieval.collections set state = 'deleted'
      where tenant_id = ${ada.tenant.id} and id = ${id}`)
    const waiting = ada.ask('POST', `/v1/collections/${id}/documents`, { text: 'Late.' })
    await eventually('it waits for the collection, or was answered', async () => {
      const waits = await db.run(sql`
        select from pg_locks l join pg_stat_activity a on a.pid = l.pid
        where not l.granted and a.datname = current_database()`)
      const answered = await Promise.race([waiting, Promise.resolve(undefined)])
      return waits > 0 || answered
    })
    return { waiting }
  })
  const { status, body } = await adding.waiting
  expect([status, body.code]).toEqual([404, 'collection_not_found'])
})

test('a person who may no longer write makes no version by a retry of an earlier job', async () => {
  const ada = await world.reader()
  const bob = await world.reader(ada.tenant)
  const entry = (who: typeof ada, permission: string) => ({
    principal_or_group: `user:${who.id}`,
    permission,
  })
  const id = await ada.collection({ default_acl: [entry(ada, 'manage'), entry(bob, 'write')] })
  const held = holdAt(world.platform.faults, 'retrieval.before_chunk', { match: ada.tenant.id })
  const text = 'What bob sent.'
  const { job_id } = await bob.does('POST', `/v1/collections/${id}/documents`, { text })
  await held.reached()
  await bob.does('POST', `/v1/ingestion-jobs/${job_id}/cancel`)
  held.release()
  expect(await ended(bob.job, job_id)).toMatchObject({ state: 'cancelled' })
  const retry = () => bob.ask('POST', `/v1/ingestion-jobs/${job_id}/retry`)
  await ada.does('PUT', `/v1/collections/${id}/acl`, { acl: [entry(ada, 'manage')] })
  const refused = await retry()
  expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
  await ada.does('PUT', `/v1/collections/${id}/acl`, {
    acl: [entry(ada, 'manage'), entry(bob, 'write')],
  })
  expect((await retry()).status).toBe(202)
})
