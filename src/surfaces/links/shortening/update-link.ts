/**
 * Changes a link under the lock of its row. If nothing changes, there is no event and no new
 * version. A new destination passes the same checks as the destination of a new link, in the
 * transaction that stores it.
 */
import { parseTime, preconditionFailed, sql, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { normalizeDestination, rulesOf, type Destination } from '../destinations/normalize.ts'
import { screen, type Screened } from '../destinations/screen.ts'
import { problem } from '../errors.ts'
import type { PatchLink, Policy } from '../schemas.ts'
import { announce } from './announce.ts'
import { demandExpiry } from './expiry.ts'
import { clicks, columns, holdLink, LinkRow, type HeldLink, type LinkDomain } from './link-row.ts'
import { nextState } from './next-state.ts'
import { demandSafeStatus } from './policy.ts'

export type Updating = Pick<
  Deps,
  'kernel' | 'platform' | 'changes' | 'reputation' | 'lookAlikes' | 'patterns'
>

type Moved = { readonly to: Destination; readonly screened: Screened }

/** The row after the change. */
type Next = {
  readonly moved: Moved | null
  readonly state: HeldLink['raw_state']
  /** The owner's own switch. It does not depend on other reasons for which the link is disabled. */
  readonly owner_disabled: boolean
  readonly policy: Policy
  readonly expires_at: string | null
  readonly title: string | null
  readonly max_clicks: number | null
}

export async function updateLink(
  tx: Tx,
  deps: Updating,
  principal: Principal,
  { domain, code }: { readonly domain: LinkDomain; readonly code: string },
  patch: PatchLink,
  versions: readonly number[] | null,
): Promise<LinkRow> {
  demandChangeable(patch)
  demandExpiry(deps.kernel, patch.expires_at, '/expires_at')
  const held = await holdLink(tx, principal, domain, code)
  const { raw_state: _state, disabled_by: _by, owner_disabled: _off, ...unchanged } = held
  if (versions && !versions.includes(held.version)) throw preconditionFailed(held.version)
  const next = await decide(tx, deps, held, patch)
  const events = eventsOf(held, next)
  // The change is published even if nothing changes, because an earlier request may have failed
  // between its commit and its wait.
  await deps.changes.changed(tx, [held])
  if (events.length === 0) return unchanged
  const row = await store(tx, principal, held, next, events.length)
  announce(tx, { tenant_id: principal.tenant_id, ...row }, row.version, events)
  return row
}

function demandChangeable(patch: PatchLink): void {
  const fixed = (['code', 'domain'] as const).filter(name => patch[name] !== undefined)
  if (fixed.length === 0) return
  throw problem('validation_failed', {
    detail: 'Code and domain of a link stay as they are: a printed one must not lead elsewhere.',
    errors: fixed.map(name => ({ location: 'body', pointer: `/${name}`, constraint: 'immutable' })),
  })
}

async function decide(tx: Tx, deps: Updating, held: HeldLink, patch: PatchLink): Promise<Next> {
  const moved = await move(tx, deps, held, patch.destination_url)
  const state = nextState(held, patch, moved?.screened.safety_state ?? held.safety_state)
  const policy = { ...held.policy, ...patch.policy }
  const { expires_at = held.expires_at, title = held.title, max_clicks = held.max_clicks } = patch
  const pending = state === 'pending_scan'
  // An existing combination that was valid when it was set stays valid. Only changes are checked.
  if (patch.policy || patch.max_clicks || moved) {
    demandSafeStatus(policy, { max_clicks, pending }, '/policy/redirect_status')
  }
  const owner_disabled = patch.state ? patch.state === 'disabled' : held.owner_disabled
  return { moved, state, owner_disabled, policy, expires_at, title, max_clicks }
}

async function move(
  tx: Tx,
  deps: Updating,
  held: HeldLink,
  destination_url: string | undefined,
): Promise<Moved | null> {
  if (destination_url === undefined) return null
  const to = normalizeDestination(destination_url, rulesOf(deps.kernel))
  return to.url === held.destination_url ? null : { to, screened: await screen(tx, deps, to) }
}

function eventsOf(held: HeldLink, next: Next): { type: string; data?: object }[] {
  const events: { type: string; data?: object }[] = []
  if (isChanged(held, next)) {
    const destination_version = held.destination_version + (next.moved ? 1 : 0)
    events.push({ type: 'link.updated', data: { destination_version } })
  }
  const switched = held.owner_disabled !== next.owner_disabled
  if (switched && events.length === 0 && held.raw_state === next.state) {
    events.push({
      type: 'link.updated',
      data: { destination_version: held.destination_version },
    })
  }
  if (held.raw_state !== 'disabled' && next.state === 'disabled') {
    events.push({ type: 'link.disabled', data: { reason: 'owner' } })
  }
  if (held.raw_state === 'disabled' && next.state !== 'disabled') {
    events.push({ type: 'link.enabled' })
  }
  return events
}

function isChanged(held: HeldLink, next: Next): boolean {
  const { moved, title, max_clicks } = next
  if (moved || title !== held.title || max_clicks !== held.max_clicks) return true
  if (momentOf(next.expires_at) !== momentOf(held.expires_at)) return true
  const names = Object.keys(next.policy) as (keyof Policy)[]
  return names.some(name => next.policy[name] !== held.policy[name])
}

function momentOf(time: string | null): number | null {
  return time === null ? null : parseTime(time)
}

function store(
  tx: Tx,
  { tenant_id, id: owner_id }: Principal,
  held: HeldLink,
  { moved, state, owner_disabled, policy, expires_at, title, max_clicks }: Next,
  events: number,
): Promise<LinkRow> {
  const disabled_by = state === 'disabled' ? (held.disabled_by ?? 'owner') : null
  return tx.one(
    LinkRow,
    sql`
      update links.links set
        destination_url = ${moved?.to.url ?? held.destination_url},
        destination_host = coalesce(${moved?.to.reversed_host ?? null}, destination_host),
        destination_version = destination_version + ${moved ? 1 : 0}::int,
        safety_state = ${moved?.screened.safety_state ?? held.safety_state},
        scan_due_at = case when ${moved !== null}::boolean
          then case when ${moved?.screened.scan ?? false}::boolean then kernel.now() end
          else scan_due_at end,
        scan_attempts = case when ${moved !== null}::boolean then 0 else scan_attempts end,
        scan_lease_token = case when ${moved === null}::boolean then scan_lease_token end,
        scan_leased_until = case when ${moved === null}::boolean then scan_leased_until end,
        state = ${state}, disabled_by = ${disabled_by},
        owner_disabled = ${owner_disabled}, title = ${title},
        expires_at = ${expires_at}, redirect_status = ${policy.redirect_status},
        scan = ${policy.scan}, query = ${policy.query}, cache_seconds = ${policy.cache_seconds},
        edge_cache_seconds = ${policy.edge_cache_seconds}, max_clicks = ${max_clicks},
        -- clicks that were used stay used
        remaining_clicks = case when ${max_clicks}::bigint is not null then
          greatest(0, ${max_clicks}::bigint - coalesce(max_clicks - remaining_clicks, 0)) end,
        version = version + ${events}::bigint, updated_at = kernel.now()
      where tenant_id = ${tenant_id} and owner_id = ${owner_id}
        and domain_id = ${held.domain_id} and code = ${held.code}
      returning ${columns}, ${clicks}`,
  )
}
