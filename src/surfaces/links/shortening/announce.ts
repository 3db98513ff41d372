/**
 * Events of a link. Its version counts them, so each change of the row increments it by the number
 * of its events.
 */
import type { Tx } from '../../../kernel/database/db.ts'

type Announced = {
  readonly tenant_id: string
  readonly id: string
  readonly domain_id: string
  readonly code: string
}

/**
 * `versions` are those of the row after the change: one for each event, the last of them the row's
 * own.
 */
export function announce(
  tx: Tx,
  link: Announced,
  version: number,
  events: readonly { readonly type: string; readonly data?: object }[],
): void {
  const { tenant_id, id, domain_id, code } = link
  for (const [at, { type, data }] of events.entries()) {
    tx.emit({
      type,
      tenant_id,
      aggregate_type: 'link',
      aggregate_id: id,
      aggregate_version: version - events.length + 1 + at,
      data: { link_id: id, domain_id, code, ...data },
    })
  }
}
