/**
 * Exports a person's data: the records of identity, and the route that exports the data of all
 * surfaces, one record on each line. The export contains no secret, hash or token.
 */
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql, type Sql } from '../../../kernel/database/sql.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import type { Personal, PersonalRecord } from '../../../kernel/work/personal.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { requirePerson } from '../require-person.ts'
import { requireStepUp } from '../step-up.ts'
import { accountById, principalsOf } from '../accounts/find-account.ts'

const portion = 500
const Data = Type.Object({ data: Type.Record(Type.String(), Type.Unknown()) })
const Event = Type.Object({ id: Type.String(), ...Data.properties })
const Lines = Type.Unsafe<Readable>({ type: 'string', title: 'Export' })

export function personalAccount({ kernel: { db } }: Pick<Deps, 'kernel'>): Personal {
  return {
    export: async function* ({ account_id }) {
      for (const [kind, statement] of recordsOf(account_id)) {
        for (const { data } of await db.many(Data, statement)) yield { kind, data }
      }
      yield* securityEvents(db, account_id)
    },
    // Nothing to erase here: the transaction that erases an account has already erased all its data
    // in identity.
    erase: () => Promise.resolve(),
  }
}

function recordsOf(account_id: string): readonly (readonly [string, Sql])[] {
  return [
    [
      'account',
      sql`
        select jsonb_build_object('id', id, 'tenant_id', tenant_id, 'email', email,
          'status', status, 'verified_at', verified_at, 'display_name', display_name,
          'locale', locale, 'created_at', created_at) as data
        from identity.accounts where id = ${account_id}`,
    ],
    [
      'session',
      sql`
        select jsonb_build_object('id', id, 'aal', aal, 'amr', amr, 'client', client_metadata,
          'created_at', created_at, 'last_seen_at', last_seen_at, 'revoked_at', revoked_at) as data
        from identity.sessions where account_id = ${account_id} order by id`,
    ],
    [
      'api_key',
      sql`
        select jsonb_build_object('id', id, 'name', name, 'prefix', prefix, 'state', state,
          'created_at', created_at, 'last_used_at', last_used_at) as data
        from identity.api_keys where account_id = ${account_id} order by id`,
    ],
    [
      'external_identity',
      sql`
        select jsonb_build_object('id', id, 'provider', provider, 'subject', subject,
          'created_at', created_at) as data
        from identity.external_identities where account_id = ${account_id} order by id`,
    ],
    [
      'mfa_method',
      sql`
        select jsonb_build_object('id', id, 'type', type, 'label', label, 'status', status,
          'created_at', created_at, 'last_used_at', last_used_at) as data
        from identity.mfa_methods where account_id = ${account_id} order by id`,
    ],
    [
      'role',
      sql`
        select jsonb_build_object('role_id', role_id, 'tenant_id', tenant_id) as data
        from identity.role_assignments where account_id = ${account_id} order by tenant_id, role_id`,
    ],
  ]
}

/** The rows may be many, so they are read in portions. */
async function* securityEvents(
  reader: Pick<Reader, 'many'>,
  account_id: string,
): AsyncGenerator<PersonalRecord> {
  for (let after: string | null = null; ;) {
    const last: string | null = after
    const events: readonly { id: string; data: unknown }[] = await reader.many(
      Event,
      sql`
        select e.id, jsonb_build_object('id', e.id, 'action', e.action, 'actor', e.actor,
          'context', e.safe_context, 'occurred_at', e.occurred_at) as data
        from identity.security_events e
        where e.tenant_id = (select tenant_id from identity.accounts where id = ${account_id})
          and e.account_id = ${account_id} and (${last}::uuid is null or e.id > ${last}::uuid)
        order by e.id limit ${portion}`,
    )
    for (const { data } of events) yield { kind: 'security_event', data }
    if (events.length < portion) return
    after = events.at(-1)?.id ?? null
  }
}

export function exportRoute(deps: Pick<Deps, 'kernel'>): Route {
  return route({
    method: 'GET',
    path: '/v1/me/export',
    name: 'exportMyData',
    summary: 'Export my data',
    description:
      'One JSON record a line: `surface`, `kind` and `data`. The last line is `{"complete": true}`; an export without it was cut off. Requires a recent authentication.',
    permission: 'authenticated',
    added: true,
    rate: 'expensive',
    transaction: 'own',
    produces: ['application/x-ndjson'],
    replies: { 200: Lines },
    fails: ['account_not_found', 'permission_denied', 'step_up_required'],
    handle: async ({ db, principal, request }) => {
      requirePerson(principal)
      const account = await accountById(db, principal.id)
      if (!account) throw problem('account_not_found')
      await requireStepUp(db, deps.kernel, principal)
      const about = await principalsOf(db, account)
      const records = deps.kernel.personal.export(about, request.signal)
      return reply(200, Readable.from(lines(records)), {
        'content-type': 'application/x-ndjson',
        'content-disposition': 'attachment; filename="export.ndjson"',
        'cache-control': 'no-store',
      })
    },
  })
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
