/** Creates a notification for other code of the platform, in the transaction of its cause. */
import type { Tx } from '../../../kernel/database/db.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Deps } from '../deps.ts'
import type { Notice } from '../face.ts'
import { accept } from './accept.ts'
import { plain } from './order.ts'
import { by_platform, prepare } from './prepare-order.ts'

export async function notify(tx: Tx, deps: Deps, notice: Notice): Promise<void> {
  const { tenant_id, key, user_id, category, template, data, channels, priority } = notice
  const prepared = await prepare(
    tx,
    deps,
    { tenant_id, grants: null },
    { category, template: { name: template }, ...(channels ? { channels: [...channels] } : {}) },
    priority,
  )
  const [person] = await deps.people.recipients(tx, [{ tenant_id, principal_id: user_id }])
  await accept(tx, deps, {
    ...plain,
    ...prepared,
    id: newId(),
    tenant_id,
    principal_id: by_platform,
    key,
    recipient: { kind: 'user', id: person?.id ?? user_id },
    data,
    created_at_ms: deps.kernel.clock.nowMs(),
    dedupe: notice.dedupe ?? null,
    digest: notice.digest ?? null,
  })
}
