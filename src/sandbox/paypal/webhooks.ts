/** Sends events, signed as PayPal does, again until they are accepted. */
import { createHash, sign } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { newId } from '#dodeca/kernel'
import type { Signer } from './certificate.ts'
import { timeAt, type Event, type Vended } from './records.ts'

const attempts_max = 8
const answer_ms_max = 10_000

export function certificatePath({ pem }: Signer): string {
  const id = createHash('sha256').update(pem).digest('hex').slice(0, 24)
  return `/v1/notifications/certs/CERT-${id}`
}

export function signedMessage(
  { address, realMs }: Pick<Vended, 'address' | 'realMs'>,
  signer: Signer,
  webhook_id: string,
  body: string,
): Record<string, string> {
  const [id, time] = [newId(), timeAt(realMs())]
  const signed = `${id}|${time}|${webhook_id}|${crc32(body)}`
  return {
    'content-type': 'application/json',
    'paypal-transmission-id': id,
    'paypal-transmission-time': time,
    'paypal-transmission-sig': sign('sha256', Buffer.from(signed), signer.key).toString('base64'),
    'paypal-cert-url': address() + certificatePath(signer),
    'paypal-auth-algo': 'SHA256withRSA',
  }
}

export function openSender(vended: () => Vended, signer: Signer) {
  const running = new Map<string, Promise<void>>()
  const send = async (id: string, attempts: number): Promise<void> => {
    const { store, config, realMs } = vended()
    const event = store.get('event', id)
    const account = store.get('account', event?.account ?? '')
    const url = account?.webhook_url
    const accepted = !event || !account || !url || (await post(url, event, account.webhook_id))
    store.change(change => {
      if (accepted || attempts === attempts_max) return change.drop('delivery', id)
      const due_ms = realMs() + config().backoff_ms * 2 ** attempts
      change.put('delivery', id, { event: id, due_ms, attempts: attempts + 1 })
    })
  }
  const post = async (url: string, event: Event, webhook_id: string): Promise<boolean> => {
    const { account: _account, ...shown } = event
    const body = JSON.stringify({ ...shown, event_version: '1.0', resource_version: '2.0' })
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: signedMessage(vended(), signer, webhook_id, body),
        body,
        signal: AbortSignal.timeout(answer_ms_max),
      })
      await answer.body?.cancel()
      return answer.ok
    } catch {
      return false
    }
  }
  return {
    work: () => {
      const { store, realMs } = vended()
      for (const { event, due_ms, attempts } of store.all('delivery')) {
        if (due_ms > realMs() || running.has(event)) continue
        running.set(
          event,
          send(event, attempts).finally(() => running.delete(event)),
        )
      }
    },
    close: async () => void (await Promise.allSettled(running.values())),
  }
}
