/**
 * The form with which a provider leads back (Apple). It comes from another site, so the browser sends
 * no cookie with it, and nothing of it may be believed. It is kept sealed and unread, for the state
 * that it names, until the same browser comes with its cookie.
 */
import { Type } from 'typebox'
import { sql, text, type Keyring, type SealedColumn, type Tx } from '#dodeca/kernel'
import { Value } from 'typebox/value'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { hashOf, peek } from '../one-time.ts'
import { Bytes, OneTimeToken } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { Pending } from './begin-authorization.ts'

export const form_bytes_max = 64 * 1024

const use = 'identity.sign_in_form'
const placeOf = (state_hash: Buffer) => ({
  table: 'identity.sign_in_forms',
  id: state_hash.toString('hex'),
  column: 'form',
})

export const sealedForms: SealedColumn = {
  table: 'identity.sign_in_forms',
  key: ['state_hash'],
  column: 'form',
  use,
  place: ({ state_hash }) => placeOf(state_hash as Buffer),
}

/** Returns the state, for the way on. Only the first form of an unused state is kept. */
export async function storeForm(
  { kernel }: Pick<Deps, 'kernel'>,
  provider: string,
  raw: Buffer,
  seen: Seen,
): Promise<string> {
  const { settings, keys, db } = kernel
  const state = new URLSearchParams(raw.toString('utf8')).get('state') ?? ''
  const open = Value.Check(OneTimeToken, state) && (await peek(db, ['oidc_state'], state))
  const pending = open ? open.details : undefined
  if (!open || !Value.Check(Pending, pending) || pending.provider !== provider) {
    throw problem('oidc_state_invalid')
  }
  const many = settings['identity.sign_in_forms_per_network']
  await kernel.take(db, [{ name: 'identity.sign_in_forms', ip: seen.ip, many, per_seconds: 600 }])
  const state_hash = hashOf(state)
  const most = settings['identity.sign_in_forms_most']
  const kept = await db.maybe(
    Type.Object({ kept: Type.Boolean() }),
    sql`
      insert into identity.sign_in_forms (state_hash, tenant_id, form)
      select ${state_hash}, ${open.tenant_id}, ${keys.seal(use, raw, placeOf(state_hash))}
      where (select count(*) from (select from identity.sign_in_forms limit ${most}) f) < ${most}
      on conflict (state_hash) do update set state_hash = excluded.state_hash
      returning true as kept`,
  )
  if (!kept) throw problem('overloaded', { retry_after: 60 })
  return state
}

const Row = Type.Object({ form: Bytes })
const Members = Type.Object({
  code: Type.Optional(text(4096)),
  iss: Type.Optional(text(500)),
  error: Type.Optional(text(200)),
  name: Type.Optional(Type.String()),
})

/** Deletes the form of a state that has just been used up, and returns what it holds. */
export async function takeForm(tx: Tx, keys: Pick<Keyring, 'open'>, state: string) {
  const state_hash = hashOf(state)
  const row = await tx.maybe(
    Row,
    sql`delete from identity.sign_in_forms where state_hash = ${state_hash} returning form`,
  )
  if (!row) return {}
  const form = new URLSearchParams(keys.open(use, row.form, placeOf(state_hash)).toString('utf8'))
  const given = { ...membersOf(form, ['code', 'iss', 'error']), ...nameIn(form.get('user')) }
  // What does not fit is as if the provider had sent nothing.
  return Value.Check(Members, given) ? given : {}
}

function membersOf(form: URLSearchParams, names: readonly string[]) {
  return Object.fromEntries(names.flatMap(name => (form.has(name) ? [[name, form.get(name)]] : [])))
}

/** `{"name": {"firstName": "Ada", "lastName": "Lovelace"}}`, as Apple sends it. */
const User = Type.Object({
  name: Type.Object({
    firstName: Type.Optional(Type.String()),
    lastName: Type.Optional(Type.String()),
  }),
})

function nameIn(user: string | null): { name?: string } {
  try {
    const said: unknown = JSON.parse(user ?? 'null')
    if (!Value.Check(User, said)) return {}
    const { firstName = '', lastName = '' } = said.name
    return { name: `${firstName} ${lastName}`.trim() }
  } catch {
    // A login does not fail because of a name.
    return {}
  }
}
