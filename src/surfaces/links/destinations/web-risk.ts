/**
 * The `UrlReputation` that calls Google's Web Risk Lookup API (`uris:search`). In development
 * without a configured address it calls the sandbox, which implements the same API. A refused API
 * key is handled like any other error: the links stay unscanned until the configuration is
 * corrected.
 */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { openOutsideWorld, openUpstream, type Upstream } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type { UrlReputation } from './reputation.ts'

const Found = Type.Object({
  threat: Type.Optional(Type.Object({ threatTypes: Type.Array(Type.String()) })),
})

const threats = ['MALWARE', 'SOCIAL_ENGINEERING', 'UNWANTED_SOFTWARE']
const deadline_ms = 10_000

export function openWebRisk(kernel: Pick<Kernel, 'settings' | 'data_dir'>): UrlReputation {
  const { settings } = kernel
  const outside = openOutsideWorld(kernel.data_dir)
  const key = settings['links.web_risk_key']
  let open: { readonly url: string; readonly line: Upstream } | undefined
  const line = async (): Promise<{ line: Upstream; key: string }> => {
    const sandbox = key === null ? (await outside.addresses())?.['web_risk'] : undefined
    const url =
      settings['links.web_risk_url'] ?? sandbox?.['api'] ?? 'https://webrisk.googleapis.com'
    if (open?.url !== url) {
      await open?.line.close()
      open = {
        url,
        line: openUpstream({ name: 'web_risk', base_url: url, attempt_timeout_ms: 5000 }),
      }
    }
    return { line: open.line, key: key ?? sandbox?.['key'] ?? '' }
  }
  return {
    name: 'web_risk',
    ask: async (url, signal) => {
      const upstream = await line()
      const query = new URLSearchParams({ uri: url, key: upstream.key })
      for (const threat of threats) query.append('threatTypes', threat)
      const path = `/v1/uris:search?${query}`
      const answer = await upstream.line.call({
        method: 'GET',
        path,
        idempotent: true,
        deadline_ms,
        signal,
      })
      const found: unknown = answer.status === 200 ? JSON.parse(answer.body.toString()) : null
      if (!Value.Check(Found, found)) throw new Error(`web_risk answered ${answer.status}`)
      return (found.threat?.threatTypes.length ?? 0) > 0 ? 'malicious' : 'clean'
    },
    close: async () => open?.line.close(),
  }
}
