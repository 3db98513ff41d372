/**
 * Routes of reconciliation, for the operator of the platform: runs, and the items that they open.
 */
import { Type, type Static } from 'typebox'
import {
  closed,
  columnsOf,
  count,
  Id,
  looked,
  nullable,
  oneOf,
  parseTime,
  routesOf,
  sql,
  text,
  Time,
  Version,
} from '#dodeca/kernel'
import type { Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem, refuseMember } from '../errors.ts'
import { refuseCardData } from '../intents/card-data.ts'
import { Proof } from './prove-balance.ts'
import { requestRun } from './request-run.ts'
import { resolveItem } from './resolve-item.ts'

const runs = '/v1/reconciliation-runs'
const items = '/v1/reconciliation-items'
const Short = Type.String({ maxLength: 255 })
const Count = count(0, Number.MAX_SAFE_INTEGER)

const run_states = ['queued', 'running', 'succeeded', 'failed'] as const
const Run = Type.Object(
  {
    id: Id,
    status: oneOf(...run_states),
    from: Time,
    to: Time,
    phase: Short,
    compared: Count,
    fixed: Count,
    opened: Count,
    /** For each currency: the ledger, the recorded transactions, and the provider's own balance. */
    proof: nullable(Proof),
    requested_by: Short,
    created_at: Time,
    finished_at: nullable(Time),
  },
  { title: 'ReconciliationRun' },
)

const item_states = ['open', 'auto_resolved', 'resolved', 'ignored'] as const
const Item = Type.Object(
  {
    id: Id,
    tenant_id: Id,
    provider: Short,
    external_ref: nullable(Short),
    local_ref: nullable(Short),
    state: oneOf(...item_states),
    discrepancy: Short,
    details: Type.Record(Type.String(), Type.Unknown()),
    note: nullable(Type.String({ maxLength: 500 })),
    resolved_by: nullable(Short),
    version: Version,
    created_at: Time,
    resolved_at: nullable(Time),
  },
  { title: 'ReconciliationItem' },
)
export type Item = Static<typeof Item>

/** A range that ends later than its run ends with it. */
const run_columns = {
  status: sql`t.state`,
  from: sql`t.from_at`,
  to: sql`least(t.to_at, t.created_at)`,
}

const { open, get, list, post } = routesOf<Deps>({
  absent: 'reconciliation_run_not_found',
  read: 'payments.reconciliations.read',
  added: true,
})

export const reconciliationRoutes = open({
  createReconciliationRun: post(
    runs,
    'Compare the ledger with the records of the provider for a time range',
    {
      description:
        'Without `provider` it is the first one of the platform. The books of each provider are compared for themselves.',
      permission: 'payments.reconciliations.run',
      idempotency: 'optional',
      body: closed(
        { from: Time, to: Time, provider: Type.Optional(text(50)) },
        { title: 'RequestReconciliation' },
      ),
      replies: { 202: Run },
      location: `${runs}/{id}`,
      fails: ['validation_failed', 'provider_unsupported', 'provider_without_books'],
    },
    async ({ tx, principal, body: { from, to, provider: named } }, { providers: { platform } }) => {
      const wanted = named ?? platform[0].name
      const provider = platform.find(({ name }) => name === wanted)
      if (!provider) throw refuseMember('provider_unsupported', '/provider')
      if (!provider.books) throw problem('provider_without_books')
      if (parseTime(from) >= parseTime(to)) {
        const errors = [{ location: 'body', pointer: '/to', constraint: 'after_from' }] as const
        throw problem('validation_failed', { detail: '`to` must be later than `from`.', errors })
      }
      const id = await requestRun(tx, provider.name, { from, to, requested_by: principal.id })
      tx.audit('payments.reconciliations.run', `reconciliation_run:${id}`)
      return await findRun(tx, id)
    },
  ),

  getReconciliationRun: get(
    `${runs}/{id}`,
    'Get a reconciliation run with its balances',
    { reply: Run },
    async ({ tx, params: { id } }) => await findRun(tx, id),
  ),

  listReconciliationRuns: list(runs, 'List the reconciliation runs, newest first', {
    from: 'payments.reconciliation_runs',
    of_platform: true,
    row: Run,
    columns: run_columns,
    time: 'id',
    filters: {
      status: looked(oneOf(...run_states), status => sql`t.state = ${status}`),
    },
  }),

  listReconciliationItems: list(
    items,
    'List the differences between the ledger and the provider, newest first',
    {
      from: 'payments.reconciliation_items',
      of_platform: 'all_tenants',
      row: Item,
      time: 'id',
      filters: { state: looked(oneOf(...item_states)), discrepancy: looked(text(50)) },
      find: [],
    },
  ),

  resolveReconciliationItem: post(
    `${items}/{id}/resolve`,
    'Resolve a reconciliation item; the payments that it blocked continue',
    {
      description:
        'With `resolved`, a captured amount that differs from the request counts as the provider has it, and a refund without an outcome is sent again if the provider has none. With `ignored`, the same difference is not reported again, unless an operation still waits.',
      permission: 'payments.reconciliations.resolve',
      idempotency: 'optional',
      absent: 'reconciliation_item_not_found',
      body: closed(
        { resolution: oneOf('resolved', 'ignored'), note: text(500) },
        { title: 'ResolveReconciliationItem' },
      ),
      inspectBody: refuseCardData,
      reply: Item,
      fails: ['already_resolved', 'card_data_refused'],
    },
    async ({ tx, params: { id }, principal, body }) => {
      const before = await findItem(tx, id)
      const by = { actor: principal.id, tenant_id: principal.tenant_id }
      await resolveItem(tx, before, { ...body, ...by })
      const item = await findItem(tx, id)
      return item
    },
  ),
})

async function findRun(reader: Reader, id: string): Promise<Static<typeof Run>> {
  const run = await reader.maybe(
    Run,
    sql`
      select ${columnsOf(Run, 't', run_columns)}
      from payments.reconciliation_runs t where t.id = ${id}`,
  )
  if (!run) throw problem('reconciliation_run_not_found')
  return run
}

async function findItem(reader: Reader, id: string): Promise<Item> {
  const item = await reader.maybe(
    Item,
    sql`
      -- any tenant: for the operator of the platform
      select id, tenant_id, provider, external_ref, local_ref, state, discrepancy, details, note,
        resolved_by, version, created_at, resolved_at
      from payments.reconciliation_items where id = ${id}`,
  )
  if (!item) throw problem('reconciliation_item_not_found')
  return item
}
