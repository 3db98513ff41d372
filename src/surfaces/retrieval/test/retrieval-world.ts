/** The product with collections of documents. Each test takes a tenant of its own. */
import { expect } from 'vitest'
import {
  openProductWorld,
  type Member,
  type ProductWorld,
  type Tenant,
} from '../../../../test/product-world.ts'
import { call, eventually, newKey, type Answer } from '../../../../test/world.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
type Json = any

export type Reader = Member & {
  ask(method: string, path: string, body?: unknown, headers?: object): Promise<Answer>
  /** The same, and it must succeed; returns the body. */
  does(method: string, path: string, body?: unknown): Promise<Json>
  /** Returns the id of a new collection. */
  collection(more?: object): Promise<string>
  /** Adds a document and waits until its job has ended; returns the job. */
  ingest(collection_id: string, document: object): Promise<Json>
  /** The same for text, which must become ready; returns the id of the document. */
  add(collection_id: string, text: string, more?: object): Promise<string>
  job(id: string): Promise<Json>
  search(collection_id: string, query: string, more?: object): Promise<Json[]>
}

export type RetrievalWorld = ProductWorld & {
  reader(tenant?: Tenant): Promise<Reader>
  /** Sets a fault point for work of this tenant; returns a function that clears all. */
  fault(rule: {
    point: string
    action: 'throw' | 'hang' | `delay:${number}`
    times?: number
    skip?: number
    match?: string
  }): void
}

export async function openRetrievalWorld(
  settings?: Record<string, string>,
): Promise<RetrievalWorld> {
  const world = await openProductWorld(settings)
  return {
    ...world,
    reader: async tenant => {
      const member = await world.member(tenant)
      return { ...member, ...actsAs(world.url, member.token) }
    },
    fault: rule => world.platform.faults.set(rule),
  }
}

function actsAs(url: string, token: string): Omit<Reader, keyof Member> {
  const ask: Reader['ask'] = (method, path, body, headers = {}) =>
    call(url, method, path, {
      token,
      headers: { ...headers },
      ...(method === 'POST' ? { key: newKey() } : {}),
      ...(body === undefined ? {} : { body }),
    })
  const does: Reader['does'] = async (method, path, body) => {
    const answer = await ask(method, path, body)
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
    return answer.body
  }
  const job: Reader['job'] = id => does('GET', `/v1/ingestion-jobs/${id}`)
  const ingest: Reader['ingest'] = async (collection_id, document) => {
    const { job_id } = await does('POST', `/v1/collections/${collection_id}/documents`, document)
    return await ended(job, job_id)
  }
  return {
    ask,
    does,
    job,
    ingest,
    collection: async (more = {}) =>
      (await does('POST', '/v1/collections', { name: `c-${newKey()}`, ...more })).id,
    add: async (collection_id, text, more = {}) => {
      const done = await ingest(collection_id, { text, ...more })
      expect(done, JSON.stringify(done)).toMatchObject({ status: 'succeeded', error_code: null })
      return done.document_id
    },
    search: async (collection_id, query, more = {}) =>
      (await does('POST', '/v1/search', { collection_ids: [collection_id], query, ...more })).data,
  }
}

export async function ended(job: Reader['job'], id: string): Promise<Json> {
  return await eventually(`the job ${id} ends`, async () => {
    const found = await job(id)
    return found.completed_at !== null && found
  })
}
