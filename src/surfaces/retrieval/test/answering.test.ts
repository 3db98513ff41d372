/** Answers: what they quote, to whom, and what is left of them when a source goes. */
import { afterAll, describe, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { Type } from 'typebox'
import { holdAt } from '../../../../test/hold.ts'
import { call, eventually, newKey } from '../../../../test/world.ts'
import { openEvents } from './events.ts'
import { openRetrievalWorld, type Reader } from './retrieval-world.ts'

const world = await openRetrievalWorld()
afterAll(() => world.close())
const { db } = world.platform.kernel

const secrets = [
  '# Webhook secrets\n\nTo rotate a webhook secret, call `POST /rotate` on the subscription 👩‍👩‍👧. ',
  'The old secret is accepted for a day. Deliveries are signed with both meanwhile.',
].join('')

async function asked(ada: Reader, more: object = {}) {
  const id = await ada.collection()
  const document_id = await ada.add(id, secrets, {
    content_type: 'text/markdown',
    title: 'Guide',
    ...more,
  })
  return {
    id,
    document_id,
    question: { collection_ids: [id], query: 'How do I rotate a webhook secret?' },
  }
}

describe.concurrent('an answer', () => {
  test('quotes its source word by word, in ranges that PostgreSQL counts the same', async () => {
    const ada = await world.reader()
    const { document_id, question } = await asked(ada)
    const created = await ada.ask('POST', '/v1/answers', question)
    expect(created.status, created.text).toBe(201)
    const { id, citations, text } = created.body
    expect(created.headers.get('location')).toBe(`/v1/answers/${id}`)
    expect(created.body).toMatchObject({ state: 'completed', outcome: 'answered' })
    expect(text).toContain('To rotate a webhook secret')
    expect(citations[0]).toMatchObject({ rank: 1, document_id, title: 'Guide', redacted: false })
    for (const { quote, answer_range: at } of citations) {
      expect([...text].slice(at.start, at.end).join('')).toContain(quote)
      expect(quote.length).toBeGreaterThan(0)
    }
    expect((await ada.does('GET', `/v1/answers/${id}`)).citations).toEqual(citations)
  })

  test('leads to its words in the document, for anyone who may read it now', async () => {
    const ada = await world.reader()
    const bob = await world.reader(ada.tenant)
    const stranger = await world.reader()
    const { document_id, question } = await asked(ada)
    const { citations } = await ada.does('POST', '/v1/answers', question)
    const [{ chunk_id, quoted_range, quote }] = citations
    const path = `/v1/documents/${document_id}/chunks`
    const { data } = await ada.does('GET', path)
    const chunk = data.find((one: { id: string }) => one.id === chunk_id)
    expect([...chunk.text].slice(quoted_range.start, quoted_range.end).join('')).toBe(quote)
    expect(chunk.range.end - chunk.range.start).toBe([...chunk.text].length)
    for (const other of [bob, stranger]) {
      expect((await other.ask('GET', path)).body.code).toBe('document_not_found')
    }
    await ada.does('PUT', `/v1/documents/${document_id}/acl`, {
      acl: [{ principal_or_group: `user:${bob.id}`, permission: 'read' }],
    })
    expect((await ada.ask('GET', path)).body.code).toBe('document_not_found')
  })

  test('says that there is no evidence', async () => {
    const ada = await world.reader()
    const { id } = await asked(ada)
    const { outcome, text, citations } = await ada.does('POST', '/v1/answers', {
      collection_ids: [id],
      query: 'Which wine goes with mushroom risotto?',
    })
    expect({ outcome, text, citations }).toEqual({
      outcome: 'insufficient_evidence',
      text: '',
      citations: [],
    })
  })

  test('is its own asker’s, and a repeated key returns it without what is lost', async () => {
    const ada = await world.reader()
    const bob = await world.reader(ada.tenant)
    const { document_id, question } = await asked(ada)
    const key = newKey()
    const ask = () =>
      call(world.url, 'POST', '/v1/answers', { token: ada.token, key, body: question })
    const first = await ask()
    expect((await bob.ask('GET', `/v1/answers/${first.body.id}`)).body.code).toBe(
      'answer_not_found',
    )
    expect((await ask()).body).toEqual(first.body)
    await ada.ask('DELETE', `/v1/documents/${document_id}`)
    const repeated = await ask()
    expect(repeated.body).toMatchObject({ id: first.body.id, state: 'redacted', text: null })
    expect(repeated.text).not.toContain('rotate a webhook')
    const kept = await db.many(
      Type.Object({ kept: Type.String() }),
      sql`
        select t.text as kept from retrieval.answer_texts t
        where t.tenant_id = ${ada.tenant.id} and t.text is not null`,
    )
    expect(kept).toEqual([])
  })

  test('loses its text when its asker loses access', async () => {
    const ada = await world.reader()
    const bob = await world.reader(ada.tenant)
    const { id: collection_id, question } = await asked(ada)
    const acl = [{ principal_or_group: `user:${ada.id}`, permission: 'manage' }]
    const both = [...acl, { principal_or_group: 'tenant:*', permission: 'read' }]
    await ada.does('PUT', `/v1/collections/${collection_id}/acl`, { acl: both })
    const { id } = await bob.does('POST', '/v1/answers', question)
    await ada.does('PUT', `/v1/collections/${collection_id}/acl`, { acl })
    const after = await bob.does('GET', `/v1/answers/${id}`)
    expect(after).toMatchObject({ state: 'redacted', text: null })
    expect(after.citations[0]).toMatchObject({ rank: 1, redacted: true, quote: null })
  })

  test('is exported as its asker may read it at that time', async () => {
    const ada = await world.reader()
    const bob = await world.reader(ada.tenant)
    const { id: collection_id, question } = await asked(ada)
    const manage = [{ principal_or_group: `user:${ada.id}`, permission: 'manage' }]
    const read = { principal_or_group: 'tenant:*', permission: 'read' }
    await ada.does('PUT', `/v1/collections/${collection_id}/acl`, { acl: [...manage, read] })
    const { id, text } = await bob.does('POST', '/v1/answers', question)
    const exported = async () => {
      const answer = await bob.ask('GET', '/v1/me/export')
      const lines = answer.text.trim().split('\n')
      const records = lines.map(line => JSON.parse(line))
      return records.find(one => one.kind === 'answer' && one.data.id === id).data
    }
    expect(await exported()).toMatchObject({ query: question.query, text, state: 'completed' })
    await ada.does('PUT', `/v1/collections/${collection_id}/acl`, { acl: manage })
    const after = await exported()
    expect(after).toMatchObject({ query: question.query, text: null, state: 'redacted' })
    expect(after.citations[0]).toMatchObject({ redacted: true, quote: null })
  })

  test('follows an own earlier answer, and no one else’s', async () => {
    const ada = await world.reader()
    const eve = await world.reader()
    const { question } = await asked(ada)
    const { id } = await ada.does('POST', '/v1/answers', question)
    const next = await ada.does('POST', '/v1/answers', {
      ...question,
      query: 'How long is the old one accepted?',
      conversation_context_ref: id,
    })
    expect(next.text).toContain('accepted for a day')
    const own = await eve.collection()
    const foreign = await eve.ask('POST', '/v1/answers', {
      collection_ids: [own],
      query: 'And?',
      conversation_context_ref: id,
    })
    expect(foreign.body.code).toBe('answer_not_found')
  })
})

describe('a stream', () => {
  const two = 'Refunds of goods take ten days.\n\nRefunds of services take twenty days.'

  test('sends a citation before the sentence that it supports, and the same again', async () => {
    const ada = await world.reader()
    const id = await ada.collection()
    await ada.add(id, two)
    const body = { collection_ids: [id], query: 'How many days do refunds take?' }
    const key = newKey()
    const stream = await openEvents(world.url, '/v1/answers:stream', ada.token, body, key)
    const events = await stream.all()
    const names = events.map(one => one.event)
    expect(names).toEqual([
      'started',
      'sources',
      'citation',
      'delta',
      'citation',
      'delta',
      'usage',
      'completed',
    ])
    expect(events.map(one => one.data.sequence)).toEqual(events.map((_, at) => at + 1))
    const text = events.flatMap(one => (one.event === 'delta' ? [one.data.text] : [])).join('')
    const answer = await ada.does('GET', `/v1/answers/${events[0]?.data.answer_id}`)
    expect(answer).toMatchObject({ state: 'completed', text })
    const repeated = await openEvents(world.url, '/v1/answers:stream', ada.token, body, key)
    const deltas = (await repeated.all()).filter(one => one.event === 'delta')
    expect(deltas.map(one => one.data.text).join('')).toBe(text)
  })

  test('is also what the route of answers sends where the body asks for it', async () => {
    const ada = await world.reader()
    const { question } = await asked(ada)
    const body = { ...question, response_mode: 'streaming' }
    const stream = await openEvents(world.url, '/v1/answers', ada.token, body)
    expect((await stream.all()).at(-1)?.event).toBe('completed')
  })

  test('quotes nothing of a document whose access was taken away after its first sentence', async () => {
    const ada = await world.reader()
    const bob = await world.reader(ada.tenant)
    const manage = { principal_or_group: `user:${ada.id}`, permission: 'manage' }
    const id = await ada.collection({
      default_acl: [{ principal_or_group: 'tenant:*', permission: 'read' }],
    })
    const document_id = await ada.add(id, two, {
      acl: [manage, { principal_or_group: `user:${bob.id}`, permission: 'read' }],
    })
    // The second sentence waits while access is taken away.
    const held = holdAt(world.platform.faults, 'retrieval.before_sentence', { skip: 1 })
    const body = { collection_ids: [id], query: 'How many days do refunds take?' }
    const stream = await openEvents(world.url, '/v1/answers:stream', bob.token, body)
    const first = await stream.until('delta')
    expect(first.data.text).toContain('ten days')
    await ada.does('PUT', `/v1/documents/${document_id}/acl`, { acl: [manage] })
    held.release()
    const rest = await stream.all()
    expect(rest.map(one => one.event)).toEqual(['error'])
    expect(rest[0]?.data).toMatchObject({ code: 'answer_sources_changed' })
    const [answer_id] = stream.seen.map(one => one.data.answer_id)
    const stored = await bob.does('GET', `/v1/answers/${answer_id}`)
    expect(stored).toMatchObject({ state: 'redacted', text: null })
  })

  test('that its reader leaves is cancelled', async () => {
    const ada = await world.reader()
    const id = await ada.collection()
    await ada.add(id, two)
    const held = holdAt(world.platform.faults, 'retrieval.before_sentence', { skip: 1 })
    const body = { collection_ids: [id], query: 'How many days do refunds take?' }
    const stream = await openEvents(world.url, '/v1/answers:stream', ada.token, body)
    const started = await stream.until('started')
    await stream.until('delta')
    stream.leave()
    await held.reached()
    held.release()
    const left = await eventually('the answer ends', async () => {
      const answer = await ada.does('GET', `/v1/answers/${started.data.answer_id}`)
      return answer.state !== 'running' && answer
    })
    expect(left).toMatchObject({ state: 'cancelled', text: null })
  })
})

test('a quote is on the page where it stands, not where its chunk begins', async () => {
  const ada = await world.reader()
  const id = await ada.collection()
  const text = 'The heron nests in spring.\n\nThe stork nests in summer.'
  const held = holdAt(world.platform.faults, 'retrieval.before_chunk', { match: ada.tenant.id })
  const adding = ada.add(id, text)
  await held.reached()
  // As a PDF of two pages leaves it.
  const pages = [
    { page: 1, start: 0 },
    { page: 2, start: text.indexOf('The stork') },
  ]
  await world.platform.kernel.db.run(sql`
    update retrieval.document_versions
    set outline = jsonb_set(outline, '{pages}', ${sql.json(pages)})
    where tenant_id = ${ada.tenant.id}`)
  held.release()
  await adding
  for (const [query, page] of [
    ['When does the heron nest?', 1],
    ['When does the stork nest?', 2],
  ] as const) {
    const order = { collection_ids: [id], query }
    const made = await ada.does('POST', '/v1/answers', order)
    const stored = await ada.does('GET', `/v1/answers/${made.id}`)
    for (const { citations } of [made, stored]) expect(citations[0]).toMatchObject({ page })
  }
})
