/** What a person leaves in retrieval, for the test that erases a person. */
import type { Answer } from '../../../../test/world.ts'

type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>

/** A collection, what was asked of it, questions that judge it, and a page that is read daily. */
export async function askOwnDocuments(ask: Ask, mark: string): Promise<void> {
  const { id } = (await ask('POST', '/v1/collections', { name: 'Handbook' })).body
  await ask('POST', '/v1/answers', { collection_ids: [id], query: `Who is ${mark}?` })
  const queries = [{ query: `Where is ${mark}?`, relevant: ['nowhere'] }]
  await ask('POST', `/v1/collections/${id}/evaluations`, { queries, store: true })
  const config = { urls: [`https://www.example.com/${mark}/`] }
  const connector = { kind: 'web', config, schedule: 'P1D' }
  await ask('POST', `/v1/collections/${id}/connectors`, connector)
}
