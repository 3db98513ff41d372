/** Creates notifications for other code of the platform, in the transaction of their cause. */
import { newId, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Notice } from '../face.ts'
import { acceptAll } from './accept.ts'
import { by_platform, plain } from './order.ts'
import { prepare, type Prepared } from './prepare-order.ts'

export async function notifyAll(tx: Tx, deps: Deps, notices: readonly Notice[]): Promise<void> {
  const known = new Map<string, Promise<Prepared>>()
  const preparedFor = ({ tenant_id, category, template, channels, priority }: Notice) => {
    const name = JSON.stringify([tenant_id, category, template, channels, priority])
    const found = known.get(name)
    if (found) return found
    const asked = { category, template: { name: template } }
    const named = channels ? { ...asked, channels: [...channels] } : asked
    const prepared = prepare(tx, deps, { tenant_id, grants: null }, named, priority)
    known.set(name, prepared)
    return prepared
  }
  const [people, prepared] = await Promise.all([
    deps.people.recipients(
      tx,
      notices.map(({ tenant_id, user_id: principal_id }) => ({ tenant_id, principal_id })),
    ),
    Promise.all(notices.map(preparedFor)),
  ])
  const created_at_ms = deps.kernel.clock.nowMs()
  const orders = notices.flatMap((notice, at) => {
    const { tenant_id, key, user_id, data, dedupe = null, digest = null } = notice
    const person = people.find(one => one.tenant_id === tenant_id && one.principal_id === user_id)
    const by = { id: newId(), tenant_id, principal_id: by_platform, key, created_at_ms }
    const recipient = { kind: 'user', id: person?.id ?? user_id } as const
    const found = prepared[at]
    return found ? [{ ...plain, ...found, ...by, recipient, data, dedupe, digest }] : []
  })
  await acceptAll(tx, deps, orders)
}
