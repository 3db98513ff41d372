/** A document that changes all the time is found and quoted in one version, never in two. */
import { afterAll, expect, test } from 'vitest'
import { openRetrievalWorld } from './retrieval-world.ts'

// Without a model, so that answers are the sentences of the documents.
const world = await openRetrievalWorld({ KERNEL_SANDBOX: 'false' })
afterAll(() => world.close())

const updates = 100
/** Chunks do not cross a heading, so each version has three, and each names its version. */
const edition = (n: number) =>
  ['Lamps', 'Doors', 'Windows']
    .map(what => `# ${what}\n\n${what} of the house are checked in round${n} by the caretaker.`)
    .join('\n\n')

type Hit = { document_id: string; document_version: number; text: string }

test('is served in one version at each moment while 100 updates arrive', async () => {
  const ada = await world.reader()
  const id = await ada.collection()
  const add = (n: number) =>
    ada.add(id, edition(n), { source_uri: 'house', content_type: 'text/markdown' })
  const document_id = await add(0)
  let updating = true
  const changes = (async () => {
    for (let n = 1; n <= updates; n++) await add(n)
  })().finally(() => (updating = false))
  const seen: number[][] = []
  const quoted: number[][] = []
  const refused: string[] = []
  while (updating) {
    const hits: Hit[] = await ada.search(id, 'Who checks the house?', { top_k: 20 })
    for (const { document_version, text } of hits) {
      expect(text).toContain(`round${document_version - 1} `)
    }
    seen.push(hits.map(hit => hit.document_version))
    const answer = await ada.ask('POST', '/v1/answers', {
      collection_ids: [id],
      query: 'Are lamps, doors and windows of the house checked by the caretaker?',
    })
    // An update between the search and the last check refuses the answer instead of mixing it.
    if (answer.status === 409) refused.push(answer.body.code)
    else quoted.push(answer.body.citations.map((one: Hit) => one.document_version))
  }
  await changes
  expect(refused.filter(code => code !== 'answer_sources_changed')).toEqual([])
  for (const versions of [...seen, ...quoted]) expect(new Set(versions).size).toBeLessThan(2)
  expect(seen.filter(versions => versions.length !== 3)).toEqual([])
  expect(new Set(seen.flat()).size).toBeGreaterThan(5)
  expect(quoted.flat().length).toBeGreaterThan(0)
  const { current_version } = await ada.does('GET', `/v1/documents/${document_id}`)
  expect(current_version).toBe(updates + 1)
})
