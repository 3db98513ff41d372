/**
 * Sends a message over HTTP or the socket. Checks limits and the text, makes the fingerprint, and
 * commits.
 */
import { newId, openLocalRate } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { sentMessage, type Draft, type Sent } from './append-messages.ts'
import { Batcher } from './batcher.ts'
import { normalText } from './body-text.ts'

export type Order = {
  readonly tenant_id: string
  readonly sender_id: string
  readonly conversation_id: string
  readonly client_request_id: string
  readonly body?: string | undefined
  readonly attachment_ids?: readonly string[] | undefined
  readonly reply_to_sequence?: number | undefined
}

export type Sender = (order: Order) => Promise<{ readonly sent: Sent; readonly draft: Draft }>

export function openSender(deps: Pick<Deps, 'kernel' | 'cipher' | 'blocks' | 'live'>): Sender {
  const { settings } = deps.kernel
  const factor = settings['kernel.rate_factor']
  const rates = [
    {
      rate: openLocalRate({ many: settings['chat.sends_per_10_seconds'] * factor, per_ms: 10_000 }),
      keyOf: (one: Order) => `${one.sender_id} ${one.conversation_id}`,
    },
    {
      rate: openLocalRate({ many: settings['chat.sends_per_minute'] * factor, per_ms: 60_000 }),
      keyOf: (one: Order) => one.sender_id,
    },
  ]
  const batcher = new Batcher(deps, sent =>
    deps.live.appended(sent.map(([draft, one]) => liveMessage(draft, one))),
  )
  return async order => {
    for (const { rate, keyOf } of rates) {
      const wait_ms = rate.take(keyOf(order))
      if (wait_ms > 0) throw problem('rate_limited', { retry_after: Math.ceil(wait_ms / 1000) })
    }
    const draft = draftOf(deps, order)
    return { draft, sent: await batcher.send(draft) }
  }
}

/** The message for those who are connected. */
export function liveMessage(draft: Draft, sent: Sent) {
  return {
    tenant_id: draft.tenant_id,
    event_id: sent.event_id,
    with_attachments: draft.attachment_ids.length > 0,
    message: sentMessage(draft, sent),
  }
}

export function draftOf({ kernel }: Pick<Deps, 'kernel'>, order: Order): Draft {
  const attachment_ids = [...new Set(order.attachment_ids?.map(id => id.toLowerCase()))]
  const body = order.body === undefined ? null : normalText(kernel, order.body)
  if (body === null && attachment_ids.length === 0) {
    throw problem('validation_failed', {
      detail: 'A message has a text, attachments, or both.',
      errors: [{ location: 'body', pointer: '/body', constraint: 'required' }],
    })
  }
  const reply_to_sequence = order.reply_to_sequence ?? null
  const content = JSON.stringify([body, attachment_ids, reply_to_sequence])
  return {
    tenant_id: order.tenant_id,
    conversation_id: order.conversation_id.toLowerCase(),
    sender_id: order.sender_id,
    message_id: newId(),
    event_id: newId(),
    client_request_id: order.client_request_id,
    fingerprint: kernel.keys.fingerprint('chat.sends', content),
    body,
    attachment_ids,
    reply_to_sequence,
  }
}
