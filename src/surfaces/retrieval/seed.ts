/**
 * Creates a collection for each demo tenant with the platform's own documentation, readable for
 * everyone in it, so that "How do I rotate a webhook secret?" has an answer.
 */
import { readdir, readFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { sql, type DemoTenant } from '#dodeca/kernel'
import type { AclEntry } from './access/acl-entries.ts'
import { createCollection } from './collections/create-collection.ts'
import type { Deps } from './deps.ts'
import { addDocument, checksumOf } from './documents/add-document.ts'

const Held = Type.Object({ collections: Type.Integer() })
const folder = new URL('../../../docs/', import.meta.url)
const name = 'Dodeca documentation'

export async function seed(deps: Deps, tenants: readonly DemoTenant[]): Promise<string[]> {
  const { db } = deps.kernel
  const made: string[] = []
  const documents = await readDocuments()
  for (const { id: tenant_id, slug, member, owner } of tenants) {
    const held = await db.one(
      Held,
      sql`
        select count(*)::int as collections from retrieval.collections
        where tenant_id = ${tenant_id}`,
    )
    if (held.collections > 0 || documents.length === 0) continue
    await db.tx(async tx => {
      const creator = { tenant_id, id: member, kind: 'account' } as const
      const default_acl: AclEntry[] = [
        { principal_or_group: 'tenant:*', permission: 'read' },
        { principal_or_group: `user:${owner}`, permission: 'manage' },
      ]
      const collection_id = await createCollection(tx, deps, creator, { name, default_acl })
      for (const { file, text } of documents) {
        await addDocument(tx, deps, tenant_id, null, {
          collection_id,
          created_by: member,
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
