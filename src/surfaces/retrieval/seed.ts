/**
 * Creates a collection for each demo tenant with the platform's own documentation, readable for
 * everyone in it, so that "How do I rotate a webhook secret?" has an answer.
 */
import { readdir, readFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { sql } from '../../kernel/database/sql.ts'
import { createCollection } from './collections/create-collection.ts'
import type { Deps } from './deps.ts'
import { addDocument, checksumOf } from './documents/add-document.ts'

const Held = Type.Object({ collections: Type.Integer() })
const folder = new URL('../../../docs/', import.meta.url)
const name = 'Dodeca documentation'

export async function seed(deps: Deps): Promise<string[]> {
  const { db } = deps.kernel
  const made: string[] = []
  const documents = await readDocuments()
  const { administration } = deps.people
  const tenants = await administration.tenants(1000)
  for (const { id: tenant_id, slug } of tenants.filter(one => /^(acme|globex)$/.test(one.slug))) {
    const held = await db.one(
      Held,
      sql`
        select count(*)::int as collections from retrieval.collections
        where tenant_id = ${tenant_id}`,
    )
    const accounts = await administration.accounts({ tenant: slug }, 100)
    const member = accounts.find(({ email }) => email?.startsWith('member@'))
    if (held.collections > 0 || !member || documents.length === 0) continue
    await db.tx(async tx => {
      const creator = { tenant_id, id: member.id, kind: 'account' } as const
      const default_acl = [{ principal_or_group: 'tenant:*', permission: 'read' } as const]
      const collection_id = await createCollection(tx, deps, creator, { name, default_acl })
      for (const { file, text } of documents) {
        await addDocument(tx, deps, tenant_id, null, {
          collection_id,
          created_by: member.id,
          source_kind: 'text',
          text,
          content_type: 'text/markdown',
          checksum: checksumOf(text),
          source_uri: `docs/${file}`,
          source_version: null,
          title: null,
          metadata: { area: file.replace(/\.md$/, '') },
          acl: null,
        })
      }
    })
    made.push(`a collection of ${documents.length} documents of ${slug}`)
  }
  return made
}

/** Empty if the platform was installed without its documentation. */
async function readDocuments() {
  const files = await readdir(folder).catch(() => [])
  const pages = files.filter(one => one.endsWith('.md')).toSorted()
  return await Promise.all(
    pages.map(async file => ({ file, text: await readFile(new URL(file, folder), 'utf8') })),
  )
}
