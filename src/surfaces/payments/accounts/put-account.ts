/**
 * Adds a tenant's own payment account, or gives it new credentials. They must be of the same account
 * with the provider, because payments may be open there.
 */
import type { Buffer } from 'node:buffer'
import { newId, requireConditions, sql, violates } from '#dodeca/kernel'
import type { Conditions, Principal, Problem, Tx } from '#dodeca/kernel'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { vendors } from '../provider/open-providers.ts'
import { ProviderFailure } from '../provider/port.ts'
import type { AccountSecret, Vendor } from '../provider/vendor.ts'
import { openSecret, sealSecret } from '../provider/account-secrets.ts'
import { accountColumns, announceAccount, findAccount } from './find-account.ts'
import { AccountRow, type PutAccount } from './schemas.ts'

/** What the provider said about the credentials of a request. */
export type Checked = {
  readonly vendor: Vendor
  /** Null: the kept credentials stay. */
  readonly given: { readonly auth: AccountSecret['auth']; readonly external_ref: string } | null
}

/** Asks the provider whose credentials these are. No connection of the database is held meanwhile. */
export async function checkAccount(
  deps: Deps,
  principal: Principal,
  { provider, auth, methods }: PutAccount,
): Promise<Checked> {
  const { kernel, identity } = deps
  await identity.requireStepUp(kernel.db, principal)
  const vendor = vendors.find(one => one.name === provider)
  if (!vendor) throw problem('provider_unsupported')
  if (methods?.some(one => !vendor.methods.includes(one))) {
    throw invalid('/methods', `${vendor.name} offers ${vendor.methods.join(', ')}.`)
  }
  if (auth === undefined) return { vendor, given: null }
  const given: unknown = auth
  if (!isAuth(vendor, given)) throw invalid('/auth', vendor.auth_says)
  const fault = vendor.fault(kernel, given)
  if (fault !== undefined) throw invalid('/auth', fault)
  const account = vendor.open(kernel, { auth: given, webhook_secret: null })
  try {
    return { vendor, given: { auth: given, external_ref: await account.identify() } }
  } catch (error) {
    throw refusalOf(error)
  } finally {
    await account.close()
  }
}

function isAuth({ Auth }: Vendor, given: unknown): given is AccountSecret['auth'] {
  return Value.Check(Auth, given)
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof ProviderFailure)) return error
  const refused = error.code === 'provider_unauthorized' || error.kind === 'refused'
  const code = refused ? 'payment_account_refused' : 'payment_provider_unavailable'
  return problem(code, {}, { cause: error })
}

type Asked = {
  readonly principal: Principal
  readonly name: string
  readonly body: PutAccount
  readonly conditions: Conditions
}

export async function putAccount(
  tx: Tx,
  deps: Deps,
  { principal: { tenant_id }, name, body, conditions }: Asked,
  { vendor, given }: Checked,
): Promise<AccountRow> {
  if (name === 'platform') throw invalid('/name', '`platform` is the account of the platform.')
  const lock = `payments.accounts:${tenant_id}`
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`)
  const found = await findAccount(tx, tenant_id, name)
  const before = found?.state === 'closed' ? undefined : found
  requireConditions(conditions, before?.version ?? null)
  const external_ref = given?.external_ref ?? before?.external_ref
  if (external_ref === undefined) {
    throw invalid('/auth', 'Send the credentials of the account in `auth`.')
  }
  if (before && (before.external_ref !== external_ref || before.provider !== vendor.name)) {
    throw problem('payment_account_differs')
  }
  const place = { tenant_id, id: before?.id ?? newId(), provider: vendor.name }
  const kept = before ? await openKept(tx, deps, place) : { auth: {}, webhook_secret: null }
  const secret = {
    auth: given?.auth ?? kept.auth,
    webhook_secret: body.webhook_secret ?? kept.webhook_secret,
  }
  const made = { ...place, name, external_ref }
  const row = await store(tx, deps, made, { vendor, secret, methods: body.methods, before })
  tx.audit('payments.accounts.put', `payment_account:${row.id}`)
  announceAccount(tx, tenant_id, row)
  return row
}

const Sealed = Type.Object({ sealed: Type.Unsafe<Buffer>({}) })

async function openKept(
  tx: Tx,
  { kernel }: Deps,
  place: { readonly tenant_id: string; readonly id: string; readonly provider: string },
): Promise<AccountSecret> {
  const { sealed } = await tx.one(
    Sealed,
    sql`
      select sealed from payments.payment_accounts
      where tenant_id = ${place.tenant_id} and id = ${place.id} for update`,
  )
  return openSecret(kernel, place, sealed)
}

type Made = {
  readonly tenant_id: string
  readonly id: string
  readonly provider: string
  readonly name: string
  readonly external_ref: string
}
type Contents = {
  readonly vendor: Vendor
  readonly secret: AccountSecret
  readonly methods: readonly string[] | undefined
  readonly before: AccountRow | undefined
}

async function store(
  tx: Tx,
  { kernel }: Deps,
  made: Made,
  { vendor, secret, methods, before }: Contents,
): Promise<AccountRow> {
  const { tenant_id, id, name, provider, external_ref } = made
  const offered = [...(methods ?? before?.methods ?? vendor.methods)]
  const shown = sql.json(vendor.shown(secret.auth))
  const sealed = sealSecret(kernel, made, secret)
  const verifies = secret.webhook_secret !== null
  if (before) {
    return await tx.one(
      AccountRow,
      sql`
        update payments.payment_accounts a
        set methods = ${offered}, auth = ${shown}::jsonb, sealed = ${sealed},
          has_webhook_secret = ${verifies}, version = a.version + 1, updated_at = kernel.now()
        where a.tenant_id = ${tenant_id} and a.id = ${id}
        returning ${accountColumns}`,
    )
  }
  const all = sql`
    select from payments.payment_accounts where tenant_id = ${tenant_id} and state <> 'closed'`
  const most = kernel.settings['payments.tenant_accounts_max']
  await kernel.counted(tx, `payments.accounts:${tenant_id}`, most, all)
  try {
    return await tx.one(
      AccountRow,
      sql`
        insert into payments.payment_accounts as a (
          tenant_id, id, name, provider, external_ref, methods, auth, sealed, has_webhook_secret)
        values (
          ${tenant_id}, ${id}, ${name}, ${provider}, ${external_ref}, ${offered}, ${shown}::jsonb,
          ${sealed}, ${verifies})
        returning ${accountColumns}`,
    )
  } catch (error) {
    if (violates(error, 'payment_accounts_external')) throw problem('payment_account_taken')
    throw error
  }
}

function invalid(pointer: string, detail: string): Problem {
  const errors = [{ location: 'body' as const, pointer, constraint: 'invalid' }]
  return problem('validation_failed', { detail, errors })
}
