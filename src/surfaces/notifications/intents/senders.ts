/**
 * Whether the sender of a message has the right to send it: checked when the message is accepted
 * and again right before each send. A sender who has lost the right in between (role removed, API
 * key deleted, account or tenant disabled, account erased) sends nothing more.
 */
import { allowsType } from '#dodeca/kernel'
import type { Category } from '../categories/built-in.ts'
import type { Holder } from '../../identity/face.ts'
import type { People } from '../deps.ts'
import type { Priority } from '../schemas.ts'
import { by_platform } from './order.ts'

type Message = {
  readonly category: Pick<Category, 'name' | 'class'>
  readonly priority: Priority
}
type Sent = Message & { readonly in_batch: boolean }
type Sender = {
  readonly tenant_id: string
  readonly principal_id: string | null
  readonly session_id: string | null
}

/** The grants that a message needs beside that of its category. Null if it lacks none. */
export function lacksForMessage(
  grants: ReadonlySet<string>,
  { category, priority }: Message,
): 'critical' | 'exact_name' | null {
  const { name } = category
  const critical = 'notifications.intents.send_critical'
  if (priority === 'critical' && !allowsType(grants, critical, name)) return 'critical'
  // A grant for all categories does not allow mails that look like the platform's own.
  const exact = category.class !== 'security' || grants.has(`notifications.intents.send:${name}`)
  return exact ? null : 'exact_name'
}

function maySend(grants: ReadonlySet<string>, message: Sent): boolean {
  const permission = message.in_batch ? 'notifications.batches.send' : 'notifications.intents.send'
  const allowed = allowsType(grants, permission, message.category.name)
  return allowed && lacksForMessage(grants, message) === null
}

function nameOf({ tenant_id, principal_id, session_id }: Sender): string {
  return `${tenant_id} ${principal_id} ${session_id ?? ''}`
}

export type Senders = { may(sender: Sender, message: Sent): boolean }

/** Reads the grants of all senders at once. The platform's own code always may send. */
export async function readSenders(
  grantsOf: People['recentGrantsOf'],
  senders: readonly Sender[],
): Promise<Senders> {
  const asked = new Map<string, Holder>()
  for (const sender of senders) {
    const { tenant_id, principal_id, session_id } = sender
    if (principal_id === null || principal_id === by_platform) continue
    asked.set(nameOf(sender), { tenant_id, principal_id, session_id })
  }
  const grants = asked.size === 0 ? [] : await grantsOf([...asked.values()])
  const known = new Map([...asked.keys()].map((name, at) => [name, grants[at]]))
  return {
    may: (sender, message) => {
      const { principal_id } = sender
      if (principal_id === null || principal_id === by_platform) return true
      const held = known.get(nameOf(sender))
      return held !== undefined && maySend(held, message)
    },
  }
}
