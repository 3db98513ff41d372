/**
 * Creates one link, or all links of a batch or none of them. A code is not looked up before it is
 * used: the insert finds out whether the code is taken. If a random code is taken, another code is
 * drawn. After five such draws the code gets one more symbol.
 */
import { newId, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { normalizeDestination, rulesOf } from '../destinations/normalize.ts'
import { screen } from '../destinations/screen.ts'
import { holdActiveDomain } from '../domains/find-domain.ts'
import { problem } from '../errors.ts'
import type { CreateLink, Link } from '../schemas.ts'
import { announce } from './announce.ts'
import { aliasOf } from './codes.ts'
import { demandExpiry } from './expiry.ts'
import { insertLink, type NewLink } from './insert-link.ts'
import { linkView, pathOfLink } from './link-row.ts'
import { demandSafeStatus, usual_policy } from './policy.ts'

export type Creating = Pick<
  Deps,
  | 'kernel'
  | 'platform'
  | 'reserved'
  | 'changes'
  | 'newCode'
  | 'reputation'
  | 'lookAlikes'
  | 'patterns'
>

export type Created = { readonly view: Link; readonly path: string }

const draws = 5
const length_max = 64
/** The longest wait for other processes, whose caches may still say that an alias leads nowhere. */
export const patience_ms = 250

export async function createLinks(
  tx: Tx,
  deps: Creating,
  principal: Principal,
  orders: readonly CreateLink[],
  pointerOf: (at: number) => string,
): Promise<Created[]> {
  // All statements are sent before the first result arrives.
  const [, ...links] = await Promise.all([
    takeFromQuota(tx, deps, principal, orders.length),
    ...orders.map((order, at) => examine(tx, deps, principal, order, pointerOf(at))),
  ])
  const created = new Map<NewLink, Created>()
  // In a fixed order, so that two batches with the same aliases cannot deadlock.
  for (const link of links.toSorted(byKey)) {
    created.set(link, await insert(tx, deps, principal, link))
  }
  return links.flatMap(link => created.get(link) ?? [])
}

/**
 * A batch may have more links than the limit of a minute. The excess becomes a debt. The daily
 * quota allows no debt.
 */
function takeFromQuota(tx: Tx, { kernel }: Creating, { id }: Principal, cost: number) {
  const { settings, take } = kernel
  const minute = { many: settings['links.creates_per_minute'], per_seconds: 60 }
  const day = { many: settings['links.creates_per_day'], per_seconds: 86_400 }
  return take(
    tx,
    [
      { name: 'links.creates_day', of: id, refusal: 'quota_exceeded', ...day },
      { name: 'links.creates_minute', of: id, debt: true, ...minute },
    ],
    { cost },
  )
}

async function examine(
  tx: Tx,
  deps: Creating,
  principal: Principal,
  order: CreateLink,
  at: string,
): Promise<NewLink> {
  const { kernel, reserved } = deps
  const pointer = `${at}/destination_url`
  const max_clicks = order.max_clicks ?? null
  const alias = order.alias === undefined ? null : aliasOf(order.alias, reserved, `${at}/alias`)
  demandExpiry(kernel, order.expires_at, `${at}/expires_at`)
  const destination = normalizeDestination(order.destination_url, rulesOf(kernel), pointer)
  const policy = { ...usual_policy, ...order.policy }
  const [domain, screened] = await Promise.all([
    holdActiveDomain(tx, deps, principal, order.domain),
    screen(tx, deps, destination, pointer),
  ])
  const pending = screened.state === 'pending_scan'
  demandSafeStatus(policy, { max_clicks, pending }, `${at}/policy/redirect_status`)
  return { order, at, alias, destination, policy, domain, screened }
}

async function insert(
  tx: Tx,
  deps: Creating,
  principal: Principal,
  link: NewLink,
): Promise<Created> {
  const { domain, alias } = link
  const row = await (alias === null
    ? insertDrawn(tx, deps, principal, link)
    : insertLink(tx, principal, link, { id: newId(), code: alias }))
  if (!row) {
    throw problem('alias_taken', {
      errors: [{ location: 'body', pointer: `${link.at}/alias`, constraint: 'unique' }],
    })
  }
  const { tenant_id, id: owner_id } = principal
  announce(tx, { tenant_id, ...row }, row.version, [
    { type: 'link.created', data: { owner_id, state: row.state } },
  ])
  // No process can have cached a new random code as missing.
  if (alias !== null) await deps.changes.changed(tx, [row], patience_ms)
  return { view: linkView(deps, row, domain), path: pathOfLink(row, domain) }
}

async function insertDrawn(tx: Tx, deps: Creating, principal: Principal, link: NewLink) {
  const { kernel, newCode, reserved } = deps
  const shortest = link.order.code_length ?? kernel.settings['links.code_length']
  for (let length = shortest; length <= length_max; length++) {
    for (let drawn = 0; drawn < draws; drawn++) {
      const code = newCode(length)
      if (reserved.has(code)) continue
      const row = await insertLink(tx, principal, link, { id: newId(), code })
      if (row) return row
    }
  }
  throw new Error('no code was free')
}

function byKey(a: NewLink, b: NewLink): number {
  const [left, right] = [a, b].map(({ domain, alias }) => `${domain.id} ${alias ?? ''}`)
  return (left ?? '') < (right ?? '') ? -1 : 1
}
