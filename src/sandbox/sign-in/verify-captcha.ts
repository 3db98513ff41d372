/**
 * The `siteverify` endpoint that Turnstile, hCaptcha and reCAPTCHA have in common. An answer is
 * `<host>.<anything>`, as if the widget had been solved on that host; it is accepted once.
 */
import type { Exchange, Vended } from './vended.ts'
import { json } from './vended.ts'

const used = new WeakMap<Vended, Set<string>>()

export function verifyCaptcha(vended: Vended, { form, request, response }: Exchange): void {
  const fault = vended.faults.take({ provider: 'captcha' })
  // Until the caller gives up.
  if (fault?.mode === 'silent') return
  if (fault?.mode === 'token_500') return json(response, 500, { error: 'server_error' })
  if (request.method !== 'POST') return json(response, 405, {})
  const answer = form.get('response') ?? ''
  const seen = used.get(vended) ?? new Set()
  used.set(vended, seen)
  const no = (...codes: string[]) => json(response, 200, { success: false, 'error-codes': codes })
  if (form.get('secret') !== vended.client_secret) return no('invalid-input-secret')
  if (fault?.mode === 'refuses' || !answer.includes('.')) return no('invalid-input-response')
  if (seen.has(answer)) return no('timeout-or-duplicate')
  seen.add(answer)
  const hostname =
    fault?.mode === 'other_host' ? 'evil.test' : answer.slice(0, answer.lastIndexOf('.'))
  const challenge_ts = new Date(vended.clock.nowMs()).toISOString()
  json(response, 200, { success: true, hostname, challenge_ts, 'error-codes': [] })
}
