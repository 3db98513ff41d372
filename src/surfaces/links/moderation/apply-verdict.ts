/**
 * Stores a verdict about a destination, if the link still leads there. The statement compares the
 * version of the destination, so that a late verdict never applies to a new destination. A
 * malicious link is disabled in the same transaction, in any state, and an audit record is written.
 */
import { Type } from 'typebox'
import { Id, sql, Version, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { announce } from '../shortening/announce.ts'

export type Verdict = 'clean' | 'suspicious' | 'malicious'

export type CheckedLink = {
  readonly domain_id: string
  readonly code: string
  readonly destination_version: number
}

const Row = Type.Object({
  tenant_id: Id,
  domain_id: Id,
  code: Type.String(),
  id: Id,
  version: Version,
  safety_state: Type.String(),
})

/** Returns whether anything changed. */
export async function applyVerdict(
  tx: Tx,
  { changes }: Pick<Deps, 'changes'>,
  judged: CheckedLink,
  verdict: Verdict,
  by: { readonly actor: string; readonly reason: string },
): Promise<boolean> {
  const row = await tx.maybe(Row, statementOf(judged, verdict))
  if (!row) return false
  const { destination_version } = judged
  const scanned = {
    type: 'link.scanned',
    data: { safety_state: row.safety_state, destination_version },
  }
  const disabled = { type: 'link.disabled', data: { reason: 'safety' } }
  announce(tx, row, row.version, verdict === 'malicious' ? [scanned, disabled] : [scanned])
  if (verdict === 'malicious') {
    tx.audit('links.links.disable', row.id, {
      by: { tenant_id: row.tenant_id, id: by.actor },
      reason: by.reason,
    })
  }
  await changes.changed(tx, [row])
  return true
}

/**
 * A clean verdict changes only `unscanned`. A destination that our own rules found suspicious waits
 * for a moderator, because an engine that does not know a look-alike yet proves nothing.
 */
function statementOf({ domain_id, code, destination_version }: CheckedLink, verdict: Verdict) {
  const same = sql`domain_id = ${domain_id} and code = ${code}
    and destination_version = ${destination_version} and state <> 'deleted'`
  const returned = sql`tenant_id, domain_id, code, id, version, safety_state`
  if (verdict === 'malicious') {
    return sql`
      -- any tenant: danger is the same for all
      update links.links
      set safety_state = 'malicious', state = 'disabled', disabled_by = 'safety',
        scan_due_at = null, version = version + 2, updated_at = kernel.now()
      where ${same} and safety_state <> 'malicious'
      returning ${returned}`
  }
  if (verdict === 'suspicious') {
    return sql`
      -- any tenant: danger is the same for all
      update links.links
      set safety_state = 'suspicious', state = case state when 'active' then 'pending_scan' else state end,
        version = version + 1, updated_at = kernel.now()
      where ${same} and safety_state in ('clean', 'unscanned')
      returning ${returned}`
  }
  return sql`
    -- any tenant: danger is the same for all
    update links.links
    set safety_state = case safety_state when 'unscanned' then 'clean' else safety_state end,
      state = case when safety_state = 'unscanned' and state = 'pending_scan' then 'active'
        else state end,
      scan_due_at = null, version = version + 1, updated_at = kernel.now()
    where ${same} and scan_due_at is not null
    returning ${returned}`
}
