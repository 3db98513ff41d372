/** Decides which hosts can serve links: registrable names that do not belong to the platform. */
import type { Deps } from '../deps.ts'
import { hasPublicSuffix } from '../destinations/host.ts'
import { problem } from '../errors.ts'
import { spelled } from './find-domain.ts'

export function carriableHost(
  { platform, kernel }: Pick<Deps, 'platform' | 'kernel'>,
  given: string,
): string {
  // A port or a path would be lost without a word.
  const hostname = /[:/?#@\\\s]/.test(given) ? '' : spelled(given)
  const ours = platform.owns(hostname)
  const detail = ours
    ? 'The host belongs to the platform.'
    : 'A name below a public suffix is needed, such as go.example.com, without scheme, port, path or wildcard.'
  if (ours || !hasPublicSuffix(hostname, kernel.settings['links.extra_suffixes'])) {
    throw problem('hostname_invalid', {
      detail,
      errors: [{ location: 'body', pointer: '/hostname', constraint: ours ? 'ours' : 'hostname' }],
    })
  }
  return hostname
}
