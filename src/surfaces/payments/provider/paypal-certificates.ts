/**
 * The certificates with which PayPal signs its messages. A message only names its certificate, so it is
 * fetched from nowhere but PayPal's own hosts, and at most once a minute, whatever messages say.
 */
import { X509Certificate, type KeyObject } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import { openUpstream } from '#dodeca/kernel'

/** Where a provider's certificates may be, and whom they must be for. */
export type Trusted = {
  readonly origins: readonly string[]
  readonly names: readonly string[]
}

export const of_paypal: Trusted = {
  origins: ['https://api.paypal.com', 'https://api-m.paypal.com'],
  names: ['messageverificationcerts.paypal.com'],
}
export const of_paypal_sandbox: Trusted = {
  origins: ['https://api.sandbox.paypal.com', 'https://api-m.sandbox.paypal.com'],
  names: ['messageverificationcerts.sandbox.paypal.com', 'messageverificationcerts.paypal.com'],
}

export type Certificates = {
  /** Null if there is no such certificate that we trust now. */
  keyAt(url: string, trusted: Trusted, now_seconds: number): Promise<KeyObject | null>
}

const path = /^\/v1\/notifications\/certs\/[A-Za-z0-9_-]{1,100}$/
const pause_seconds = 60
const kept_max = 10
const answer_ms = 4000
const bytes_max = 64 * 1024

export function openCertificates(): Certificates {
  const kept = new Map<string, readonly X509Certificate[]>()
  const under_way = new Map<string, Promise<readonly X509Certificate[]>>()
  let fetched_at: number | undefined
  const find = async (url: URL, now_seconds: number) => {
    const known = kept.get(url.href) ?? (await under_way.get(url.href))
    if (known) return known
    if (fetched_at !== undefined && now_seconds - fetched_at < pause_seconds) return null
    fetched_at = now_seconds
    const fetching = fetchChain(url).finally(() => under_way.delete(url.href))
    under_way.set(url.href, fetching)
    const chain = await fetching
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size >= kept_max) kept.delete(oldest)
    kept.set(url.href, chain)
    return chain
  }
  return {
    keyAt: async (given, trusted, now_seconds) => {
      const url = URL.parse(given)
      const plain = url && url.search === '' && url.hash === '' && url.username === ''
      if (!plain || !trusted.origins.includes(url.origin) || !path.test(url.pathname)) return null
      const chain = await find(url, now_seconds).catch(() => null)
      const [leaf] = chain ?? []
      return chain && leaf && isTrusted(chain, leaf, trusted, now_seconds) ? leaf.publicKey : null
    },
  }
}

async function fetchChain(url: URL): Promise<readonly X509Certificate[]> {
  const upstream = openUpstream({
    name: 'paypal certificates',
    base_url: url.origin,
    attempt_timeout_ms: answer_ms,
    retries: 0,
    connections: 1,
    max_body_bytes: bytes_max,
  })
  try {
    const { status, body } = await upstream.call({
      method: 'GET',
      path: url.pathname,
      idempotent: true,
      deadline_ms: answer_ms,
    })
    const blocks = body.toString('latin1').match(/-----BEGIN CERTIFICATE-----[^-]+-----END/g) ?? []
    if (status !== 200 || blocks.length === 0) throw new Error('there is no certificate')
    return blocks.map(one => new X509Certificate(`${one} CERTIFICATE-----`))
  } finally {
    await upstream.close()
  }
}

/** For its name, within its time, and each certificate issued by the one behind it, up to a known root. */
function isTrusted(
  chain: readonly X509Certificate[],
  leaf: X509Certificate,
  { names }: Trusted,
  now_seconds: number,
): boolean {
  if (!names.some(name => leaf.checkHost(name) !== undefined)) return false
  const now_ms = now_seconds * 1000
  if (chain.some(one => now_ms < one.validFromDate.getTime())) return false
  if (chain.some(one => now_ms > one.validToDate.getTime())) return false
  // A single certificate is trusted for the host that it was fetched from.
  if (chain.length === 1) return true
  return chain.every((one, at) => {
    const issuer = chain[at + 1]
    return issuer ? isIssuedBy(one, issuer) : isKnownRoot(one)
  })
}

const isIssuedBy = (one: X509Certificate, issuer: X509Certificate) =>
  issuer.ca && one.checkIssued(issuer) && one.verify(issuer.publicKey)

function isKnownRoot(last: X509Certificate): boolean {
  return rootCertificates.some(pem => {
    const root = new X509Certificate(pem)
    return root.fingerprint256 === last.fingerprint256 || isIssuedBy(last, root)
  })
}
