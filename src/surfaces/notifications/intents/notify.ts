/** Creates notifications for other code of the platform, in the transaction of their cause. */
import { newId, Problem, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { MailNotice, Notice } from '../face.ts'
import { acceptAll } from './accept.ts'
import { by_platform, plain, type Order } from './order.ts'
import { prepare, type Prepared } from './prepare-order.ts'

export async function notifyAll(
  tx: Tx,
  deps: Deps,
  notices: readonly (Notice | MailNotice)[],
): Promise<void> {
  const known = new Map<string, Promise<Prepared | null>>()
  const preparedFor = (notice: Notice | MailNotice) => {
    const { tenant_id, category, template, priority } = notice
    const channels = 'mail' in notice ? (['email'] as const) : notice.channels
    const name = JSON.stringify([tenant_id, category, template, channels, priority])
    const found = known.get(name)
    if (found) return found
    const asked = { category, template: { name: template } }
    const named = channels ? { ...asked, channels: [...channels] } : asked
    const prepared = prepare(tx, deps, { tenant_id, grants: null }, named, priority).catch(
      withoutTexts,
    )
    known.set(name, prepared)
    return prepared
  }
  const [people, prepared] = await Promise.all([
    deps.people.recipients(
      tx,
      notices.flatMap(notice =>
        'mail' in notice ? [] : [{ tenant_id: notice.tenant_id, principal_id: notice.user_id }],
      ),
    ),
    Promise.all(notices.map(preparedFor)),
  ])
  const created_at_ms = deps.kernel.clock.nowMs()
  const orders = notices.flatMap((notice, at): Order[] => {
    const { tenant_id, key, data } = notice
    const by = { id: newId(), tenant_id, principal_id: by_platform, key, created_at_ms }
    const found = prepared[at]
    if (!found) return []
    if ('mail' in notice) return [{ ...plain, ...found, ...by, recipient: notice.mail, data }]
    const { user_id, dedupe = null, digest = null } = notice
    const person = people.find(one => one.tenant_id === tenant_id && one.principal_id === user_id)
    const recipient = { kind: 'user', id: person?.id ?? user_id } as const
    return [{ ...plain, ...found, ...by, recipient, data, dedupe, digest }]
  })
  await acceptAll(tx, deps, orders)
}

/** A tenant may have replaced the template by one for other channels only. */
function withoutTexts(error: unknown): null {
  if (error instanceof Problem && error.code === 'channel_without_template') return null
  throw error
}
