/**
 * Sends to browsers with Web Push. A user chose the endpoint, so it is called through the guarded
 * client, and only if it belongs to a push service in the settings.
 */
import { createHash } from 'node:crypto'
import type { PushSubscription } from 'web-push'
import { retryAfterSeconds, SafeFetchFailure, type SafeFetch } from '#dodeca/kernel'
import { storedId, type Outcome, type Provider } from './outcome.ts'

export type Vapid = {
  readonly subject: string
  readonly publicKey: string
  readonly privateKey: string
}

const ttl_max_seconds = 28 * 86_400

export function openWebPush(options: {
  readonly name: string
  readonly vapid: Vapid
  readonly fetch: SafeFetch
  readonly connections: number
}): Provider {
  const { name, vapid, fetch, connections } = options
  return {
    name,
    channel: 'push',
    reaches: 'webpush',
    connections,
    send: async ({ ref, to, message, ttl_seconds }, signal) => {
      const { default: webPush } = await import('web-push')
      const subscription = JSON.parse(to) as PushSubscription
      const { subject, text, url } = message
      const request = webPush.generateRequestDetails(
        subscription,
        JSON.stringify({ title: subject, body: text, url }),
        {
          vapidDetails: vapid,
          contentEncoding: 'aes128gcm',
          TTL: Math.min(ttl_max_seconds, ttl_seconds),
          // The service replaces a waiting message with the same topic.
          topic: createHash('sha256').update(ref).digest('base64url').slice(0, 32),
        },
      )
      try {
        const { 'Content-Length': _length, ...headers } = request.headers as Record<string, string>
        const answer = await fetch(request.endpoint, {
          method: 'POST',
          headers,
          body: request.body,
          deadline_ms: 15_000,
          max_redirects: 0,
          repeatable: false,
          signal,
        })
        return outcomeOf(
          answer.status,
          retryAfterSeconds(answer.headers),
          answer.headers['location'],
        )
      } catch (error) {
        return failureOf(error)
      }
    },
    close: async () => {},
  }
}

function outcomeOf(
  status: number,
  retry_after_seconds: number | null,
  location: string | undefined,
): Outcome {
  if (status >= 200 && status < 300) {
    const provider_message_id = storedId(location?.slice(-200) ?? null)
    return { kind: 'accepted', provider_message_id }
  }
  if (status === 404 || status === 410) {
    return { kind: 'refused', code: 'destination_gone', gone: true }
  }
  if (status === 413) return { kind: 'refused', code: 'message_too_large' }
  if (status === 429) return { kind: 'failed', code: 'provider_rate_limited', retry_after_seconds }
  if (status === 401 || status === 403) return { kind: 'refused', code: 'provider_auth_failed' }
  if (status >= 500) return { kind: 'failed', code: 'provider_unavailable', retry_after_seconds }
  return { kind: 'refused', code: 'content_rejected' }
}

function failureOf(error: unknown): Outcome {
  if (!(error instanceof SafeFetchFailure)) throw error
  const { reason, phase } = error
  if (refused_targets.test(reason)) {
    return { kind: 'refused', code: 'invalid_destination', gone: true }
  }
  const code = reason === 'timeout' ? 'provider_timeout' : 'provider_unavailable'
  const connected = phase === null ? !before_connection.test(reason) : !unsent_phases.test(phase)
  return connected ? { kind: 'unknown', code } : { kind: 'failed', code }
}

const refused_targets = /^(blocked_|invalid_)|not_allowed/
const before_connection = /^(dns|connect|tls)_failed$/
const unsent_phases = /^(dns|connect|tls)$/
