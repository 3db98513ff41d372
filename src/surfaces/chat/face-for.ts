/** The face for a surface of an application. */
import { madeOnce, newId, nil_id, orderPrint, type Caller } from '#dodeca/kernel'
import { findPrint, openRoom } from './conversations/open-room.ts'
import type { Deps } from './deps.ts'
import type { Face } from './face.ts'
import { appendIn } from './messages/append-messages.ts'
import { draftOf, liveMessage } from './messages/send-message.ts'

export function faceFor(deps: Deps, caller: Caller): Face {
  return {
    open: async (tx, { id = newId(), ...order }) => {
      const fingerprint = orderPrint('open', { ...order, id })
      const { existing } = await madeOnce(tx, {
        fingerprint,
        find: reader => findPrint(reader, { tenant_id: order.tenant_id, id }),
        make: part => openRoom(part, deps, { ...order, id, fingerprint }),
        constraints: ['conversations_pkey'],
      })
      return { id, existing }
    },
    send: async (tx, { id = newId(), sender_id = nil_id, ...order }) => {
      const client_request_id = `${caller.name}:${id}`
      const draft = draftOf(deps, { ...order, sender_id, client_request_id })
      const sent = await appendIn(tx, deps, draft)
      if (!sent.deduplicated) tx.afterCommit(() => deps.live.appended([liveMessage(draft, sent)]))
      return { id: sent.message_id, sequence: sent.sequence, existing: sent.deduplicated }
    },
  }
}
