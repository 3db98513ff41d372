/** Creates a collection with its first index version. Its creator manages it. */
import { newId, sql, type Principal, type Tx } from '#dodeca/kernel'
import { merged } from '../access/acl-entries.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { CreateCollection } from './schemas.ts'
import { writeCollectionAcl } from './put-acl.ts'

/** Returns the id. */
export async function createCollection(
  tx: Tx,
  { kernel, profiles }: Pick<Deps, 'kernel' | 'profiles'>,
  { tenant_id, id: created_by, kind }: Pick<Principal, 'tenant_id' | 'id' | 'kind'>,
  given: CreateCollection,
): Promise<string> {
  const { name, language = 'en', default_acl = [] } = given
  requireLanguage(language)
  const profile = profileOf(profiles, given.embedding_profile, language)
  await kernel.counted(
    tx,
    `retrieval.collections:${tenant_id}`,
    kernel.settings['retrieval.collections_per_tenant'],
    sql`select from retrieval.collections where tenant_id = ${tenant_id} and state = 'active'`,
  )
  const id = newId()
  await tx.run(sql`
    insert into retrieval.collections
      (tenant_id, id, name, embedding_profile, language, created_by)
    values (${tenant_id}, ${id}, ${name}, ${profile}, ${language}, ${created_by})`)
  await tx.run(sql`
    insert into retrieval.index_versions
      (tenant_id, collection_id, version, embedding_profile, table_id, state, activated_at)
    values (${tenant_id}, ${id}, 1, ${profile}, ${newId()}, 'active', kernel.now())`)
  const creator = `${kind === 'account' ? 'user' : 'service'}:${created_by}`
  const acl = merged([...default_acl, { principal_or_group: creator, permission: 'manage' }])
  await writeCollectionAcl(tx, tenant_id, id, acl)
  return id
}

/** The schema checks the form only. Texts of `en-us-gb` could not be cut into sentences. */
function requireLanguage(language: string): void {
  try {
    Intl.getCanonicalLocales(language)
  } catch {
    throw problem('validation_failed', {
      detail: 'There is no such language tag. Send one such as `en` or `pt-BR`.',
      errors: [{ location: 'body', pointer: '/language', constraint: 'language' }],
    })
  }
}

/** The id of the profile. This process must support the profile. */
export function profileOf(
  profiles: Deps['profiles'],
  wanted: string | undefined,
  language: string,
): string {
  if (wanted === undefined) return profiles.defaultFor(language).id
  const found = profiles.find(wanted)
  if (!found) throw problem('unknown_embedding_profile')
  return found.id
}
