/** What is left of a person's collections after an erasure, and what their export shows before. */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { eventually } from '../../../../test/world.ts'
import { openRetrievalWorld } from './retrieval-world.ts'

const world = await openRetrievalWorld()
afterAll(() => world.close())
const { db } = world.platform.kernel

test('a collection that nobody else can see is exported, and deleted with its owner', async () => {
  const ada = await world.reader()
  const admin = await world.reader(ada.tenant)
  await world.give(admin, 'tenant_admin')
  const mark = `diary-${newId()}`
  const id = await ada.collection({ name: mark })
  const document = await ada.add(id, `My ${mark} says that I am ill.`, {
    title: mark,
    source_uri: `${mark}.md`,
  })
  const shared = await ada.collection({
    default_acl: [{ principal_or_group: 'tenant:*', permission: 'read' }],
  })
  const kept = await ada.add(shared, 'The handbook of the team.')
  for (const path of [`/v1/collections/${id}`, `/v1/documents/${document}`]) {
    expect((await admin.ask('GET', path)).status).toBe(404)
  }

  const { text } = await ada.ask('GET', '/v1/me/export')
  const lines = text.trim().split('\n')
  const exported = lines.map(line => JSON.parse(line) as { kind?: string; data?: object })
  const documents = exported.filter(one => one.kind === 'document').map(one => one.data)
  expect(documents).toMatchObject([{ id: document, title: mark }])
  expect(JSON.stringify(documents)).toContain('says that I am ill')

  expect((await ada.ask('DELETE', `/v1/accounts/${ada.id}`)).status).toBe(204)
  await eventually('administrators manage what was shared', async () => {
    return (
      (await admin.ask('PUT', `/v1/collections/${shared}/acl`, { acl: everybody })).status < 300
    )
  })
  const paths = [
    `/v1/collections/${id}`,
    `/v1/documents/${document}`,
    `/v1/documents/${document}/chunks`,
  ]
  for (const path of paths) expect((await admin.ask('GET', path)).status, path).toBe(404)
  expect((await admin.ask('GET', `/v1/documents/${kept}`)).status).toBe(200)
  await eventually('its text is erased', async () => (await traces(mark)) === 0)
})

const everybody = [
  { principal_or_group: 'tenant:*', permission: 'read' },
  { principal_or_group: 'role:tenant_admin', permission: 'manage' },
]

/** How many rows of the tables of texts contain the mark. */
async function traces(mark: string): Promise<number> {
  const { count } = await db.one(
    Type.Object({ count: Type.Integer() }),
    sql`
      select count(*)::int as count from (
        select to_jsonb(c)::text as row from retrieval.collections c
        union all select to_jsonb(d)::text from retrieval.documents d
        union all select to_jsonb(v)::text from retrieval.document_versions v
        union all select to_jsonb(k)::text from retrieval.chunk_texts k
      ) one where one.row like ${`%${mark}%`}`,
  )
  return count
}
