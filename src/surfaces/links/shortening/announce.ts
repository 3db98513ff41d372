/**
 * Emits the events of a link. The link's version counts its events. So each change of the row
 * increments the version by the number of its events.
 */
import type { Tx } from '#dodeca/kernel'

type Announced = {
  readonly tenant_id: string
  readonly id: string
  readonly domain_id: string
  readonly code: string
}

/**
 * `versions` are the versions after the change, one for each event. The last one is the row's
 * version.
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
