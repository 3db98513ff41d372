/** Vectors of an embedding model outside: used, paid for, and never mixed with those of another one. */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { openModelProvider, type ModelProvider } from '../../inference/test/inference-world.ts'
import { eventually } from '../../../../test/world.ts'
import { ended, openRetrievalWorld, type Reader, type RetrievalWorld } from './retrieval-world.ts'

const embedding_profile = 'sandbox-embedding-512@1'
let world: RetrievalWorld
let provider: ModelProvider
beforeAll(async () => {
  provider = await openModelProvider()
  world = await openRetrievalWorld({
    ...provider.settings,
    RETRIEVAL_EMBEDDING_MODEL: 'sandbox-embedding:512',
    INFERENCE_TAGS: '1',
  })
})
afterAll(async () => {
  await world.close()
  await provider.close()
})

const refuses = { action: 'status', match: { path: '/embeddings' }, status: 400, times: 1000 }
const question = 'When does the shop open?'

async function asks(ada: Reader, id: string) {
  return await ada.does('POST', '/v1/search', { collection_ids: [id], query: question })
}

async function waits(ada: Reader, job_id: string): Promise<void> {
  const waiting = async () => (await ada.job(job_id)).state === 'retryable'
  await eventually('the job waits', waiting)
}

async function vectorsOf({ platform }: RetrievalWorld, { tenant }: Reader): Promise<number> {
  const { n } = await platform.kernel.db.one(
    Type.Object({ n: Type.Integer() }),
    sql`select count(*)::int as n from retrieval.embeddings where tenant_id = ${tenant.id}`,
  )
  return n
}

test('a collection can use the model of inference, and its creators pay', async () => {
  const ada = await world.reader()
  const { data } = await ada.does('GET', '/v1/embedding-profiles')
  expect(data).toContainEqual({
    id: embedding_profile,
    dimensions: 512,
    semantic: true,
    languages: null,
  })
  const id = await ada.collection({ embedding_profile })
  const document_id = await ada.add(id, 'The shop in Bern opens at nine.')
  const found = await asks(ada, id)
  expect(found).toMatchObject({ data: [{ document_id }], degraded: [] })
  const { data: usage } = await ada.does('GET', '/v1/usage?group_by=model')
  expect(usage).toMatchObject([{ requests: 2, output_tokens: 0 }])
  expect(usage[0].input_tokens).toBeGreaterThan(0)
})

test('a search and an answer count under the tags of their request', async () => {
  const ada = await world.reader()
  const id = await ada.collection({ embedding_profile })
  await ada.add(id, 'The shop in Bern opens at nine.')
  const asked = { collection_ids: [id], query: question }
  const written = { ...asked, answerer: 'generative' }
  const tagged = { 'x-tags': 'feature:help' }
  const found = await ada.ask('POST', '/v1/search', asked, tagged)
  expect([found.status, found.body.degraded], found.text).toEqual([200, []])
  const answer = await ada.ask('POST', '/v1/answers', written, tagged)
  expect(answer.status, answer.text).toBe(201)
  const streamed = await ada.ask('POST', '/v1/answers:stream', written, tagged)
  expect(streamed.text).toContain('event: completed')
  const { data } = await ada.does('GET', '/v1/usage?group_by=tag')
  const lines = new Map(
    data.map((one: { tag: string; requests: number }) => [one.tag, one.requests]),
  )
  // Each answer searches, and writes. The document was read without a tag.
  expect(Object.fromEntries(lines)).toEqual({ 'feature:help': 5, null: 1 })
  for (const [path, body] of [
    ['/v1/search', asked],
    ['/v1/answers', written],
  ] as const) {
    const refused = await ada.ask('POST', path, body, { 'x-tags': 'team:red' })
    expect([refused.status, refused.body.code]).toEqual([422, 'tag_reserved'])
  }
})

test('a new tag is refused where the tenant has too many, and the search is not left without vectors', async () => {
  const ada = await world.reader()
  const id = await ada.collection({ embedding_profile })
  await ada.add(id, 'The shop in Bern opens at nine.')
  const asked = { collection_ids: [id], query: question }
  expect((await ada.ask('POST', '/v1/search', asked, { 'x-tags': 'only' })).status).toBe(200)
  for (const path of ['/v1/search', '/v1/answers']) {
    const refused = await ada.ask('POST', path, asked, { 'x-tags': 'one-more' })
    expect([refused.status, refused.body.code], refused.text).toEqual([422, 'too_many_tags'])
  }
})

test('an ingestion whose quota is used up fails at once, and calls no provider', async () => {
  const ada = await world.reader()
  const id = await ada.collection({ embedding_profile })
  await world.allow(ada, 'inference.quotas.write')
  await ada.does('PUT', `/v1/quotas/principal/${ada.id}`, { tokens_per_day: 1 })
  const { job_id } = await ada.does('POST', `/v1/collections/${id}/documents`, {
    text: 'The shop in Bern opens at nine, and closes when the last customer has left.',
  })
  const job = await ended(ada.job, job_id)
  expect(job).toMatchObject({ state: 'failed', error_code: 'quota_exceeded' })
})

test('a collection moves to it by a reindex, and back', async () => {
  const ada = await world.reader()
  const id = await ada.collection()
  await ada.add(id, 'The shop in Bern opens at nine.')
  const { job_id } = await ada.does('POST', `/v1/collections/${id}/reindex`, { embedding_profile })
  expect(await ended(ada.job, job_id)).toMatchObject({ state: 'succeeded' })
  for (const version of [2, 1]) {
    await ada.does('POST', `/v1/collections/${id}/index-versions/${version}/activate`)
    expect(await asks(ada, id)).toMatchObject({ data: [{ rank: 1 }], degraded: [] })
  }
})

test('another model than the profile names is refused, before a vector is stored', async () => {
  const other = await openRetrievalWorld({
    ...provider.settings,
    RETRIEVAL_EMBEDDING_MODEL: 'sandbox:512',
  })
  try {
    const ada = await other.reader()
    const id = await ada.collection({ embedding_profile: 'sandbox-512@1' })
    const { job_id } = await ada.does('POST', `/v1/collections/${id}/documents`, {
      text: 'The shop in Bern opens at nine.',
    })
    await waits(ada, job_id)
    expect(await vectorsOf(other, ada)).toBe(0)
  } finally {
    await other.close()
  }
})

test('the model is asked for as many dimensions as the profile has', async () => {
  const other = await openRetrievalWorld({
    ...provider.settings,
    RETRIEVAL_EMBEDDING_MODEL: 'sandbox-embedding:256',
  })
  try {
    const ada = await other.reader()
    const id = await ada.collection({ embedding_profile: 'sandbox-embedding-256@1' })
    await ada.add(id, 'The shop in Bern opens at nine.')
    expect(await asks(ada, id)).toMatchObject({ data: [{ rank: 1 }], degraded: [] })
  } finally {
    await other.close()
  }
})

test('without the provider a search goes on by words, and ingestion waits', async () => {
  const ada = await world.reader()
  const id = await ada.collection({ embedding_profile })
  await ada.add(id, 'The shop in Bern opens at nine.')
  await provider.control('faults', refuses)
  expect(await asks(ada, id)).toMatchObject({ degraded: ['vector'], data: [{ rank: 1 }] })
  const { job_id } = await ada.does('POST', `/v1/collections/${id}/documents`, {
    text: 'The shop in Basel opens at ten.',
  })
  await waits(ada, job_id)
  expect(await vectorsOf(world, ada)).toBe(1)
  await provider.control('faults', undefined, 'DELETE')
  expect(await ended(ada.job, job_id)).toMatchObject({ state: 'succeeded' })
})
