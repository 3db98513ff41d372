/**
 * The actions of a moderator on any link. Each action writes an audit record, closes the open
 * reports about the link, and emits an event. A moderator who enables or clears a link has checked
 * that its destination is clean.
 */
import { Type, type Static } from 'typebox'
import { closed, Id, sql, text, type Principal, type Sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { unscanned } from '../destinations/scan-links.ts'
import { problem } from '../errors.ts'
import { announce } from '../shortening/announce.ts'
import { spellings } from '../shortening/codes.ts'
import { clicks, columns, LinkRow, type LinkDomain } from '../shortening/link-row.ts'

export const Moderate = closed(
  {
    action: Type.Unsafe<'disable' | 'enable' | 'mark_clean'>({
      type: 'string',
      enum: ['disable', 'enable', 'mark_clean'],
    }),
    reason: text(500),
  },
  { title: 'ModerateLink' },
)
export type Moderate = Static<typeof Moderate>

const Held = Type.Object({
  tenant_id: Id,
  code: Type.String(),
  state: Type.String(),
  disabled_by: Type.Union([Type.String(), Type.Null()]),
  owner_disabled: Type.Boolean(),
  destination_version: Type.Integer(),
})
type Held = Static<typeof Held>
const Row = Type.Object({ ...LinkRow.properties, tenant_id: Id })

type Announcement = { readonly type: string; readonly data?: object }
type Act = { readonly set: Sql; readonly events: readonly Announcement[] }

export async function moderateLink(
  tx: Tx,
  { changes }: Pick<Deps, 'changes'>,
  { id: actor }: Principal,
  { domain, code }: { readonly domain: LinkDomain; readonly code: string },
  { action, reason }: Moderate,
): Promise<LinkRow> {
  const held = await tx.maybe(
    Held,
    sql`
      -- any tenant: a moderator looks after the links of all
      select tenant_id, code, state, disabled_by, owner_disabled, destination_version from links.links
      where domain_id = ${domain.id} and code = any(${spellings(code)}::text[])
        and state <> 'deleted'
      order by code = ${code} desc
      limit 1
      for no key update`,
  )
  if (!held) throw problem('link_not_found')
  const { set, events } = actOf(action, held)
  const { tenant_id, ...row } = await tx.one(
    Row,
    sql`
      update links.links
      set ${set}, version = version + ${events.length}::bigint, updated_at = kernel.now()
      where tenant_id = ${held.tenant_id} and domain_id = ${domain.id} and code = ${held.code}
      returning ${columns}, ${clicks}, tenant_id`,
  )
  announce(tx, { tenant_id, ...row }, row.version, events)
  await tx.run(sql`
    update links.link_reports set state = 'resolved', resolved_at = kernel.now()
    where domain_id = ${domain.id} and code = ${held.code} and state = 'received'`)
  tx.audit(`links.links.${action}`, row.id, { by: { tenant_id, id: actor }, reason })
  await changes.changed(tx, [row])
  return row
}

function actOf(action: Moderate['action'], held: Held): Act {
  const { state, disabled_by, owner_disabled, destination_version } = held
  const cleared = { type: 'link.scanned', data: { safety_state: 'clean', destination_version } }
  if (action === 'disable') {
    if (state === 'disabled') {
      // The reason changes to `admin`, so that the owner cannot enable the link.
      return { set: sql`disabled_by = 'admin'`, events: [] }
    }
    return {
      set: sql`state = 'disabled', disabled_by = 'admin'`,
      events: [{ type: 'link.disabled', data: { reason: 'admin' } }],
    }
  }
  const clean = sql`safety_state = 'clean', ${unscanned}`
  if (action === 'mark_clean') {
    const set = sql`${clean}, state = case state when 'pending_scan' then 'active' else state end`
    return { set, events: [cleared] }
  }
  if (state !== 'disabled' || disabled_by === 'owner') {
    const detail =
      state === 'disabled' ? 'Its owner has disabled it, and only its owner enables it.' : undefined
    throw problem('invalid_transition', { current_state: state, ...(detail ? { detail } : {}) })
  }
  // The owner had disabled the link too, so it stays disabled and only the owner can enable it.
  if (owner_disabled) return { set: sql`${clean}, disabled_by = 'owner'`, events: [cleared] }
  return {
    set: sql`${clean}, state = 'active', disabled_by = null`,
    events: [cleared, { type: 'link.enabled' }],
  }
}
