/**
 * A token that a device keeps after a login. Attempts with it count in a separate bucket, so that
 * an attacker who guesses passwords cannot lock the owner out. It is signed, valid for months, and
 * authenticates nothing.
 */
import { Buffer } from 'node:buffer'
import type { Kernel } from '../settings.ts'
import { newSecret } from '#dodeca/kernel'

const use = 'identity.device'

export function newDeviceToken(
  { keys, clock, settings }: Pick<Kernel, 'keys' | 'clock' | 'settings'>,
  account_id: string,
): string {
  const expires = clock.nowSeconds() + settings['identity.device_ttl_seconds']
  const body = `${account_id}.${expires}.${newSecret(9)}`
  const mac = keys.mac(use, Buffer.from(body)).subarray(0, 16).toString('base64url')
  return `dt_${Buffer.from(body).toString('base64url')}.${mac}`
}

/** The id of the device's own bucket, or null unless it is a valid token of this account. */
export function knownDevice(
  { keys, clock }: Pick<Kernel, 'keys' | 'clock'>,
  account_id: string | null,
  token: string | undefined,
): string | null {
  const match = /^dt_([A-Za-z0-9_-]{1,150})\.([A-Za-z0-9_-]{22})$/.exec(token ?? '')
  if (!match) return null
  const body = Buffer.from(match[1] ?? '', 'base64url')
  const genuine = keys.macMatches(use, body, Buffer.from(match[2] ?? '', 'base64url'))
  const [id, expires] = body.toString().split('.')
  if (!genuine || id !== account_id || Number(expires) <= clock.nowSeconds()) return null
  return body.toString()
}
