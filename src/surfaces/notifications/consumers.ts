/**
 * The consumer of notifications sends the mails that identity requests. It skips an event that has
 * waited so long that the mail is no longer useful.
 */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { Id, newId, parseTime, type Consumer } from '#dodeca/kernel'
import { builtInCategories } from './categories/built-in.ts'
import type { Deps } from './deps.ts'
import { accept } from './intents/accept.ts'
import { by_platform, plain } from './intents/order.ts'

const Requested = Type.Object({ mail_id: Id })

export function consumers(deps: Deps): readonly Consumer[] {
  return [mailConsumer(deps)]
}

function mailConsumer(deps: Deps): Consumer {
  return {
    name: 'notifications.identity_mail',
    events: ['identity_mail.requested'],
    run: async (tx, { id: event_id, tenant_id, payload, occurred_at }) => {
      if (!Value.Check(Requested, payload)) throw new Error('not a request for a mail')
      const category = builtInCategories.get('identity.security')
      if (!category) throw new Error('the category of identity is missing')
      const expires_at_ms = parseTime(occurred_at) + category.default_ttl_seconds * 1000
      const now_ms = deps.kernel.clock.nowMs()
      if (expires_at_ms <= now_ms) return
      await accept(tx, deps, {
        ...plain,
        id: newId(),
        tenant_id,
        principal_id: by_platform,
        key: `event:${event_id}`,
        recipient: { kind: 'identity_mail', id: payload.mail_id },
        category,
        template: await deps.templates.toSend(tx, tenant_id, { name: 'account-mail' }, true),
        data: {},
        channels: ['email'],
        priority: 'critical',
        expires_at_ms,
        created_at_ms: now_ms,
      })
    },
  }
}
