/** Retrieval under the crawler: how collections, documents, jobs, connectors and answers come about. */
import type { Maker } from '../../../testing/contract/crawl.ts'
import { crawlSurface } from '../../../../test/crawler/product.ts'
import type { Member, ProductWorld } from '../../../../test/product-world.ts'
import { newKey } from '../../../../test/world.ts'

type Making = Maker<ProductWorld, Member>

const collection = async ({ ask }: Making): Promise<string> =>
  (await ask('POST', '/v1/collections', { name: newKey() })).id

async function added(maker: Making): Promise<{ job_id: string; document_id: string }> {
  const id = await collection(maker)
  return await maker.ask('POST', `/v1/collections/${id}/documents`, { text: 'Some text.' })
}

const connector = async (maker: Making): Promise<string> =>
  (
    await maker.ask('POST', `/v1/collections/${await collection(maker)}/connectors`, {
      kind: 'uploads',
    })
  ).id

const question = async (maker: Making) => ({
  body: { collection_ids: [await collection(maker)], query: 'What is there?' },
})

await crawlSurface({
  surface: 'retrieval',
  // Nothing works between two requests, so that a tag stays what it was.
  settings: { ROLES: 'api', RETRIEVAL_ENGINE: 'exact' },
  subjects: {
    '/v1/collections/{collection_id}': { make: collection },
    '/v1/documents/{document_id}': { make: async maker => (await added(maker)).document_id },
    '/v1/ingestion-jobs/{job_id}': { make: async maker => (await added(maker)).job_id },
    '/v1/connectors/{connector_id}': { make: connector },
    '/v1/answers/{answer_id}': {
      make: async maker => {
        const { body } = await question(maker)
        return (await maker.ask('POST', '/v1/answers', body)).id
      },
    },
    '/v1/collections/{collection_id}/index-versions/{version}': { make: () => '1' },
  },
  recipes: {
    'POST /v1/collections': { request: () => ({ body: { name: newKey() } }) },
    'PUT /v1/collections/{collection_id}/acl': {
      request: ({ person }) => ({
        body: { acl: [{ principal_or_group: `user:${person.id}`, permission: 'manage' }] },
      }),
    },
    'POST /v1/collections/{collection_id}/documents': {
      request: () => ({ body: { text: 'Some text.' } }),
    },
    'POST /v1/collections/{collection_id}/connectors': {
      request: () => ({ body: { kind: 'uploads' } }),
    },
    'PUT /v1/documents/{document_id}/acl': {
      request: ({ person }) => ({
        body: { acl: [{ principal_or_group: `user:${person.id}`, permission: 'manage' }] },
      }),
    },
    'POST /v1/ingestion-jobs/{job_id}/retry': {
      request: async (maker, { job_id }) => {
        await maker.ask('POST', `/v1/ingestion-jobs/${job_id}/cancel`)
        return {}
      },
    },
    'POST /v1/connectors/{connector_id}/sync': {
      request: async (maker, { connector_id }) => {
        const { job_id } = await maker.ask('GET', `/v1/connectors/${connector_id}`)
        await maker.ask('POST', `/v1/ingestion-jobs/${job_id}/cancel`)
        return { body: {} }
      },
    },
    'POST /v1/search': { request: question },
    'POST /v1/answers': { request: question },
    'POST /v1/answers:stream': { request: question },
  },
})
