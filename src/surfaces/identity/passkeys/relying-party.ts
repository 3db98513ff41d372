/**
 * The relying party of WebAuthn: the domain for which keys are made, and the origins of the pages
 * and apps that may use them. Without settings both come from PUBLIC_URL. An origin is compared
 * exactly.
 */
import { StartError } from '#dodeca/kernel'

export type RelyingParty = { readonly id: string; readonly origins: readonly string[] }

type Given = {
  readonly 'identity.rp_id': string | null
  readonly 'identity.passkey_origins': readonly string[]
}

type Site = { readonly public_url: string; readonly settings: Given }

export function relyingParty({ public_url, settings }: Site): RelyingParty {
  const { hostname, origin } = new URL(public_url)
  return {
    id: settings['identity.rp_id'] ?? hostname,
    origins: [origin, ...settings['identity.passkey_origins']],
  }
}

/** Android apps have an origin made of the hash of their signing key. */
const android_app = /^android:apk-key-hash:[A-Za-z0-9_-]{43}$/

/** Refuses origins from which a browser would never send the domain of our keys. */
export function readPasskeyOrigins({ public_url, settings }: Site): void {
  const rp_id = settings['identity.rp_id']
  if (rp_id !== null && URL.parse(`https://${rp_id}`)?.host !== rp_id) {
    throw new StartError(
      `IDENTITY_RP_ID is ${rp_id}, which is not a domain such as example.com. Give one without a scheme or a port.`,
    )
  }
  const hostname = URL.parse(public_url)?.hostname
  if (rp_id !== null && hostname && !isWithin(hostname, rp_id)) {
    throw new StartError(
      `IDENTITY_RP_ID is ${rp_id}, but PUBLIC_URL is at ${hostname}, which is outside of it. Browsers would refuse every passkey. Give the host of PUBLIC_URL or a domain above it.`,
    )
  }
  for (const one of settings['identity.passkey_origins']) {
    if (android_app.test(one)) continue
    const url = URL.parse(one)
    const host = url?.origin === one && isSecure(url) ? url.hostname : null
    if (host === null) {
      throw new StartError(
        `IDENTITY_PASSKEY_ORIGINS names ${one}, which is not an origin such as https://app.example.com or android:apk-key-hash:… of an app.`,
      )
    }
    if (rp_id !== null && !isWithin(host, rp_id)) {
      throw new StartError(
        `IDENTITY_PASSKEY_ORIGINS names ${one}, whose host is outside IDENTITY_RP_ID (${rp_id}). Browsers use keys only below the domain for which they were made.`,
      )
    }
  }
}

function isWithin(host: string, rp_id: string): boolean {
  return host === rp_id || host.endsWith(`.${rp_id}`)
}

function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && /(^|\.)localhost$/.test(hostname))
}
