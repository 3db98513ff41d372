/**
 * Exports a person's data: the records of identity, and then of all surfaces, one record on each
 * line. The export contains no secret, hash or token.
 */
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { personalRows, sql } from '#dodeca/kernel'
import type { Db, Personal, PersonalAccount, PersonalRows, Principal, Sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { connectionOf } from '../oidc/store-identity.ts'
import { requirePerson } from '../require-person.ts'
import { requireOwnSession } from '../sessions/require-own-session.ts'
import { requireStepUp } from '../step-up.ts'
import { accountById, homeOf, principalsOf } from '../accounts/find-account.ts'

export function personalAccount({ kernel: { db } }: Pick<Deps, 'kernel'>): Personal {
  // Nothing to erase here: the transaction that erases an account has already erased all its data
  // in identity.
  return personalRows(db, [
    {
      kind: 'account',
      table: 'identity.accounts',
      owner: ({ account_id }) => sql`t.id = ${account_id}`,
      view: [
        'id',
        'tenant_id',
        'kind',
        'email',
        'status',
        'verified_at',
        'display_name',
        'locale',
        'profile',
        'metadata',
        'created_at',
      ],
    },
    {
      kind: 'session',
      table: 'identity.sessions',
      owner,
      view: sql`
        jsonb_build_object('id', t.id, 'aal', t.aal, 'amr', t.amr, 'client', t.client_metadata,
          'client_id', t.client_id, 'scope', to_jsonb(t.scope),
          'created_at', t.created_at, 'last_seen_at', t.last_seen_at, 'revoked_at', t.revoked_at)`,
    },
    {
      kind: 'api_key',
      table: 'identity.api_keys',
      owner,
      view: ['id', 'name', 'prefix', 'state', 'created_at', 'last_used_at'],
    },
    {
      kind: 'external_identity',
      table: 'identity.external_identities',
      owner,
      view: sql`
        jsonb_build_object('id', t.id, 'provider', t.provider, 'subject', t.subject,
          'connection_name', (select c.name from identity.connections c
            where c.id = ${connectionOf(sql`t`)}), 'created_at', t.created_at)`,
    },
    {
      kind: 'mfa_method',
      table: 'identity.mfa_methods',
      owner,
      view: ['id', 'type', 'label', 'status', 'created_at', 'last_used_at'],
    },
    {
      kind: 'factor_reset',
      table: 'identity.factor_resets',
      owner,
      view: ['id', 'reason', 'state', 'effective_at', 'created_at', 'ended_at'],
    },
    ...membership,
  ])
}

const membership: readonly PersonalRows[] = [
  {
    kind: 'role',
    table: 'identity.role_assignments',
    owner,
    key: ['tenant_id', 'role_id'],
    view: ['role_id', 'tenant_id'],
  },
  {
    kind: 'security_event',
    table: 'identity.security_events',
    owner: ({ account_id }) => sql`
        t.tenant_id = ${homeOf(account_id)}
        and t.account_id = ${account_id}`,
    view: sql`
        jsonb_build_object('id', t.id, 'action', t.action, 'actor', t.actor,
          'context', t.safe_context, 'occurred_at', t.occurred_at)`,
  },
  {
    kind: 'organization',
    table: 'identity.tenants',
    owner: ({ account_id }) => sql`t.made_by = ${account_id}`,
    view: ['id', 'slug', 'name', 'created_at'],
  },
  {
    kind: 'invitation',
    table: 'identity.invitations',
    // As for an answer, the address counts only if the account has proven it.
    owner: ({ account_id }) => sql`t.email_normalized = (
      select a.email_normalized from identity.accounts a
      where a.id = ${account_id} and a.verified_at is not null)`,
    key: ['tenant_id', 'id'],
    view: ['id', 'tenant_id', 'email', 'role_ids', 'state', 'created_at', 'expires_at'],
  },
]

function owner({ account_id }: PersonalAccount): Sql {
  return sql`t.account_id = ${account_id}`
}

export const Export = Type.Unsafe<Readable>({ type: 'string', title: 'Export' })

export async function exportMe(
  db: Db,
  { kernel }: Pick<Deps, 'kernel'>,
  principal: Principal,
  signal: AbortSignal,
): Promise<Readable> {
  requirePerson(principal)
  const account = await accountById(db, principal.id)
  if (!account) throw problem('account_not_found')
  await requireOwnSession(db, principal)
  await requireStepUp(db, kernel, principal)
  const about = await principalsOf(db, account)
  return Readable.from(lines(kernel.personal.export(about, signal)))
}

async function* lines(records: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(record, withWireTime)}\n`
  yield '{"complete": true}\n'
}

const time_name = /_(at|since|until)$/
const database_time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d:\d\d$/

/**
 * PostgreSQL writes a time inside its JSON with microseconds and an offset. The name is compared,
 * too, so that a text of the person never changes.
 */
function withWireTime(name: string, value: unknown): unknown {
  const is_time = typeof value === 'string' && time_name.test(name) && database_time.test(value)
  return is_time ? new Date(value).toISOString() : value
}
