/** Documents from their arrival to a search, and who finds them. */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { openRetrievalWorld } from './retrieval-world.ts'
import { holdAt } from '../../../../test/hold.ts'
import { eventually } from '../../../../test/world.ts'

const world = await openRetrievalWorld()
afterAll(() => world.close())
const { db } = world.platform.kernel

const handbook = [
  '# Refunds\n\nRefunds are paid within fourteen days after the parcel has come back.',
  '# Opening hours\n\nThe shop in Bern opens at nine and closes at six.',
  '# Secrets\n\nTo rotate a webhook secret, call the rotate endpoint and keep the old one for a day.',
]

const sorted = (all: readonly string[]) => all.toSorted((a, b) => (a < b ? -1 : 1))

describe.concurrent('documents', () => {
  test('are found by words, with their place and stages', async () => {
    const ada = await world.reader()
    const id = await ada.collection()
    const job = await ada.ingest(id, {
      text: handbook.join('\n\n'),
      content_type: 'text/markdown',
      title: 'Handbook',
      source_uri: 'handbook.md',
    })
    expect(job).toMatchObject({ kind: 'ingest', state: 'succeeded', stage: 'activate' })
    expect(job.stages.map((one: { name: string; state: string }) => [one.name, one.state])).toEqual(
      [
        ['fetch', 'skipped'],
        ['verify', 'done'],
        ['extract', 'done'],
        ['ocr', 'skipped'],
        ['normalize', 'done'],
        ['chunk', 'done'],
        ['embed', 'done'],
        ['index', 'done'],
        ['activate', 'done'],
      ],
    )
    const [first] = await ada.search(id, 'How do I rotate a webhook secret?')
    expect(first).toMatchObject({
      rank: 1,
      title: 'Handbook',
      source_uri: 'handbook.md',
      document_id: job.document_id,
      document_version: 1,
    })
    expect(first.text).toContain('rotate a webhook secret')
    expect(first.context).toContain('Secrets')
  })

  test('are served in one version at a time, and the same text changes nothing', async () => {
    const ada = await world.reader()
    const id = await ada.collection()
    const source_uri = 'hours'
    const document_id = await ada.add(id, 'The shop opens at nine.', { source_uri })
    const same = await ada.ingest(id, { text: 'The shop opens at nine.', source_uri })
    expect(same).toMatchObject({ document_id, unchanged: true, state: 'succeeded' })
    const next = await ada.ingest(id, { text: 'The shop opens at ten.', source_uri })
    expect(next).toMatchObject({ document_id, document_version: 3, state: 'succeeded' })
    const hits = await ada.search(id, 'When does the shop open?')
    expect(hits.map(hit => [hit.document_version, hit.text])).toEqual([
      [3, 'The shop opens at ten.'],
    ])
  })

  test('are served in the newest version, also if an older job goes on later', async () => {
    const ada = await world.reader()
    const id = await ada.collection()
    const document = { text: 'The price of a lamp is 10.', source_uri: 'lamp' }
    await ada.add(id, 'The price of a lamp is 5.', { source_uri: 'lamp' })
    const held = holdAt(world.platform.faults, 'retrieval.before_embed', { match: ada.tenant.id })
    const older = ada.ingest(id, document)
    await held.reached()
    await ada.add(id, 'The price of a lamp is 20.', { source_uri: 'lamp' })
    held.release()
    expect(await older).toMatchObject({ status: 'failed', error_code: 'document_superseded' })
    const texts = (await ada.search(id, 'price of a lamp')).map(hit => hit.text)
    expect(texts).toEqual(['The price of a lamp is 20.'])
  })

  test('are found if they are updated between the index and the reading of its hits', async () => {
    const ada = await world.reader()
    const id = await ada.collection()
    await ada.add(id, 'The price of a lamp is 10.', { source_uri: 'lamp' })
    const point = 'retrieval.after_index_search'
    const held = holdAt(world.platform.faults, point, { match: ada.tenant.id })
    const searching = ada.search(id, 'price of a lamp')
    await held.reached()
    await ada.add(id, 'The price of a lamp is 20.', { source_uri: 'lamp' })
    held.release()
    const texts = (await searching).map(hit => hit.text)
    expect(texts).toEqual(['The price of a lamp is 20.'])
  })

  test('that the caller may not read are neither found nor named', async () => {
    const ada = await world.reader()
    const bob = await world.reader(ada.tenant)
    const id = await ada.collection({
      default_acl: [{ principal_or_group: 'tenant:*', permission: 'read' }],
    })
    const only_ada = [{ principal_or_group: `user:${ada.id}`, permission: 'manage' }]
    const open = await ada.add(id, 'The budget for travel is public.')
    const closed = await ada.add(id, 'The budget for salaries is secret.', { acl: only_ada })
    const found = async (who: typeof ada) =>
      sorted((await who.search(id, 'budget')).map(hit => hit.document_id))
    expect(await found(ada)).toEqual(sorted([open, closed]))
    expect(await found(bob)).toEqual([open])
    expect((await bob.ask('GET', `/v1/documents/${closed}`)).body.code).toBe('document_not_found')
    const for_bob = [...only_ada, { principal_or_group: `user:${bob.id}`, permission: 'read' }]
    const countFor = async (who: typeof ada) =>
      (await who.does('GET', `/v1/collections/${id}`)).document_count
    expect([await countFor(ada), await countFor(bob)]).toEqual([2, 1])
    await ada.does('PUT', `/v1/documents/${closed}/acl`, { acl: for_bob })
    await eventually('the new reader finds it', async () => (await found(bob)).includes(closed))
    await ada.does('PUT', `/v1/documents/${closed}/acl`, { acl: only_ada })
    expect(await found(bob)).toEqual([open])
  })

  test('count in the list of collections only for those who may read them', async () => {
    const [ada, eve] = [await world.reader(), await world.reader()]
    const bob = await world.reader(ada.tenant)
    const name = 'Budgets of the Café'
    const everybody = [{ principal_or_group: 'tenant:*', permission: 'read' }]
    const only_ada = [{ principal_or_group: `user:${ada.id}`, permission: 'manage' }]
    const id = await ada.collection({ name, default_acl: everybody })
    const hidden = await ada.collection({ name: `${name}, drafts` })
    await ada.add(id, 'The budget for travel is public.')
    await ada.add(id, 'The budget for salaries is secret.', { acl: only_ada })
    const found = async (who: typeof ada, query: string) =>
      (await who.does('GET', `/v1/collections?${query}`)).data.map(
        (one: { id: string; document_count: number }) => [one.id, one.document_count],
      )
    const all = [
      [id, 2],
      [hidden, 0],
    ]
    expect([await found(ada, ''), await found(ada, 'find=budgets%20of%20the%20cafe')]).toEqual([
      all,
      all,
    ])
    expect([await found(bob, ''), await found(bob, 'find=budgets')]).toEqual([[[id, 1]], [[id, 1]]])
    expect(await found(bob, `find=${hidden}`)).toEqual([])
    expect(await found(eve, 'find=budgets')).toEqual([])
    const { text } = await bob.ask('GET', '/v1/collections', undefined, { accept: 'text/csv' })
    const [header, ...lines] = text.trimEnd().split('\r\n')
    expect(header).toContain('id,tenant_id,name,embedding_profile,language,access_policy_version,')
    expect(lines.map(line => line.slice(0, 36))).toEqual([id])
  })

  test('may have new lists of readers after lists that no document has any more reached their limit', async () => {
    const ada = await world.reader()
    const id = await ada.collection()
    const acl = (name: string) => [
      { principal_or_group: `user:${ada.id}`, permission: 'manage' },
      { principal_or_group: `role:${name}`, permission: 'read' },
    ]
    const used = await ada.add(id, 'The lists of readers.', { acl: acl('used') })
    const { db } = world.platform.kernel
    await db.run(sql`
      insert into retrieval.acl_sets (tenant_id, collection_id, digest, entries)
      select ${ada.tenant.id}, ${id}, sha256(n::text::bytea), array['role:old-' || n]
      from generate_series(1, 9999) n`)
    await ada.does('PUT', `/v1/documents/${used}/acl`, { acl: acl('new') })
    const left = async () => {
      const rows = await db.many(
        Type.Object({ role: Type.String() }),
        sql`
          select entries[1] as role from retrieval.acl_sets
          where tenant_id = ${ada.tenant.id} order by id`,
      )
      return rows.map(one => one.role)
    }
    expect(await left()).toEqual(['role:used', 'role:new'])
    await eventually('it is found', async () => (await ada.search(id, 'readers')).length === 1)
  })

  test('of other tenants do not exist', async () => {
    const ada = await world.reader()
    const eve = await world.reader()
    const id = await ada.collection()
    const document_id = await ada.add(id, 'Nothing for others.')
    const asked = await eve.ask('POST', '/v1/search', { collection_ids: [id], query: 'others' })
    expect([asked.status, asked.body.code]).toEqual([404, 'collection_not_found'])
    expect((await eve.ask('GET', `/v1/documents/${document_id}`)).status).toBe(404)
    expect((await eve.ask('DELETE', `/v1/documents/${document_id}`)).status).toBe(404)
    const own = await eve.collection()
    const narrowed = await eve.search(own, 'others', {
      filters: { all: [{ field: 'document_id', op: 'eq', value: document_id }] },
    })
    expect(narrowed).toEqual([])
  })

  test('of other tenants do not exist by any id, and no vector is shared with them', async () => {
    const ada = await world.reader()
    const eve = await world.reader()
    const text = 'The vault is opened at dawn.'
    const id = await ada.collection()
    const { id: job_id, document_id } = await ada.ingest(id, { text, source_uri: 'vault' })
    const question = { query: 'When is the vault opened?' }
    const answer = await ada.does('POST', '/v1/answers', { ...question, collection_ids: [id] })
    // Its submitter sees the ingestion as a job, too.
    const job = await ada.does('GET', `/v1/jobs/${job_id}`)
    expect(job).toMatchObject({ id: job_id, type: 'retrieval.ingest', state: 'succeeded' })
    const refusals = await Promise.all(
      [
        ['GET', `/v1/collections/${id}`, 'collection_not_found'],
        ['GET', `/v1/collections/${id}/documents`, 'collection_not_found'],
        ['GET', `/v1/documents/${document_id}`, 'document_not_found'],
        ['GET', `/v1/answers/${answer.id}`, 'answer_not_found'],
        ['GET', `/v1/ingestion-jobs/${job_id}`, 'job_not_found'],
        ['GET', `/v1/jobs/${job_id}`, 'job_not_found'],
        ['POST', `/v1/ingestion-jobs/${job_id}/retry`, 'job_not_found'],
        ['POST', `/v1/ingestion-jobs/${job_id}/cancel`, 'job_not_found'],
      ].map(async ([method = '', path = '', code]) => {
        const { status, body } = await eve.ask(method, path, method === 'POST' ? {} : undefined)
        return [path, status, body.code, code]
      }),
    )
    for (const [path, status, found, code] of refusals) {
      expect([path, status, found]).toEqual([path, 404, code])
    }
    const own = await eve.collection()
    await eve.add(own, text, { source_uri: 'vault' })
    const foreign = [
      { collection_ids: [own, id] },
      { collection_ids: [own], conversation_context_ref: answer.id },
    ]
    const [both, followed] = await Promise.all(
      foreign.map(more => eve.ask('POST', '/v1/answers', { ...question, ...more })),
    )
    expect([both?.status, both?.body.code]).toEqual([404, 'collection_not_found'])
    expect([followed?.status, followed?.body.code]).toEqual([404, 'answer_not_found'])
    const vectors = await db.many(
      Type.Object({ tenant_id: Type.String() }),
      sql`
        select tenant_id from retrieval.embeddings
        where tenant_id = any(${[ada.tenant.id, eve.tenant.id]}::uuid[])`,
    )
    expect(sorted(vectors.map(one => one.tenant_id))).toEqual(
      sorted([ada.tenant.id, eve.tenant.id]),
    )
  })

  test('are narrowed by metadata, and never by tenant or access', async () => {
    const ada = await world.reader()
    const id = await ada.collection()
    await ada.add(id, 'Trains to Basel.', { metadata: { team: 'travel', year: 2024 } })
    const newer = await ada.add(id, 'Trains to Bern.', { metadata: { team: 'travel', year: 2025 } })
    const filter = (...all: object[]) => ({ filters: { all } })
    const hits = await ada.search(
      id,
      'trains',
      filter(
        { field: 'metadata.team', op: 'eq', value: 'travel' },
        { field: 'metadata.year', op: 'in', value: [2025, 2026] },
      ),
    )
    expect(hits.map(hit => hit.document_id)).toEqual([newer])
    for (const field of ['tenant_id', 'acl_set_id', 'principal']) {
      const refused = await ada.ask('POST', '/v1/search', {
        collection_ids: [id],
        query: 'trains',
        ...filter({ field, op: 'eq', value: 'x' }),
      })
      expect(refused.body.code).toBe('filter_not_allowed')
    }
  })

  test('are gone with the reply to their deletion, and the receipt says what was erased', async () => {
    const ada = await world.reader()
    const id = await ada.collection()
    const document_id = await ada.add(id, 'The marker is zebrafinch.')
    const gone = await ada.ask('DELETE', `/v1/documents/${document_id}`)
    expect(gone.status).toBe(204)
    expect(await ada.search(id, 'zebrafinch')).toEqual([])
    const again = await ada.ask('DELETE', `/v1/documents/${document_id}`)
    expect([again.status, again.headers.get('link')]).toEqual([204, gone.headers.get('link')])
    const job_id = /ingestion-jobs\/([^>]+)/.exec(gone.headers.get('link') ?? '')?.[1] ?? ''
    const receipt = await eventually('the purge ends', async () => {
      const job = await ada.job(job_id)
      return job.state === 'succeeded' && job.result
    })
    expect(receipt.projections.map((one: { projection: string }) => one.projection)).toEqual([
      'answers',
      'canonical_text',
      'chunk_text',
      'embedding_cache',
      'index',
    ])
    for (const one of receipt.projections) expect(one.done_at).not.toBeNull()
  })
})
