/**
 * The entries of an access list. `write` includes `read`, and `manage` includes both. An entry
 * names one user, one API key, a role of the tenant, or everyone in the tenant.
 */
import { Type, type Static } from 'typebox'
import { closed, limit, oneOf } from '#dodeca/kernel'
import { problem } from '../errors.ts'

export const rights = ['read', 'write', 'manage'] as const
export type Right = (typeof rights)[number]

const PrincipalOrGroup = Type.String({
  title: 'PrincipalOrGroup',
  description:
    'Who the entry is for: `user:<account id>`, `service:<API key id>`, `role:<role id>` or `tenant:*`.',
  pattern:
    '^(user:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|service:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|role:[a-z0-9_.-]{1,100}|tenant:\\*)$',
  minLength: 6,
  maxLength: 105,
})

export const AclEntry = closed(
  { principal_or_group: PrincipalOrGroup, permission: oneOf(...rights) },
  { title: 'AclEntry' },
)
export type AclEntry = Static<typeof AclEntry>
const acl_entries_max = limit(
  'retrieval.access_list_entries',
  256,
  'entries',
  'Most entries of an access list',
)
export const Acl = Type.Array(AclEntry, { maxItems: acl_entries_max })
export const PutAcl = closed({ acl: Acl }, { title: 'PutAcl' })

/** The rights that include the given right. */
export function atLeast(right: Right): readonly Right[] {
  return rights.slice(rights.indexOf(right))
}

/** One entry for each name, with the strongest right. */
export function merged(entries: readonly AclEntry[]): AclEntry[] {
  const strongest = new Map<string, Right>()
  for (const { principal_or_group, permission } of entries) {
    const known = strongest.get(principal_or_group)
    if (!known || rights.indexOf(known) < rights.indexOf(permission)) {
      strongest.set(principal_or_group, permission)
    }
  }
  return [...strongest]
    .map(([principal_or_group, permission]) => ({ principal_or_group, permission }))
    .toSorted((a, b) => (a.principal_or_group < b.principal_or_group ? -1 : 1))
}

/**
 * Who changes the list must still manage the collection by the new one: an entry may name an account
 * that does not exist, and a collection that no one manages could never be deleted.
 */
export function requireManager(entries: readonly AclEntry[], names: readonly string[]): void {
  const manage = entries.filter(one => one.permission === 'manage')
  if (manage.some(one => names.includes(one.principal_or_group))) return
  throw problem('validation_failed', {
    detail:
      'After this change you would not manage the collection any more. Keep an entry with `manage` that names you or one of your roles. To hand the collection over, give `manage` to somebody else, who then removes your entry.',
    errors: [{ location: 'body', pointer: '/acl', constraint: 'contains' }],
  })
}
