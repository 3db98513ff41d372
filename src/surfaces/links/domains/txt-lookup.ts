/**
 * The TXT records of a name, from the configured DNS servers (or those of the system). An empty
 * result is a valid reply. A missing reply is an error, and must not count against a domain.
 */
import { Resolver } from 'node:dns/promises'
import type { Kernel } from '../settings.ts'

export type TxtLookup = (name: string) => Promise<readonly string[] | 'unanswered'>

const absent = new Set(['ENOTFOUND', 'ENODATA', 'NXDOMAIN'])

export function openTxtLookup(settings: Pick<Kernel['settings'], 'links.dns_servers'>): TxtLookup {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  const servers = settings['links.dns_servers']
  if (servers.length > 0) resolver.setServers(servers)
  return async name => {
    try {
      const records = await resolver.resolveTxt(name)
      // A long record arrives in pieces of 255 bytes.
      return records.map(pieces => pieces.join(''))
    } catch (error) {
      return absent.has((error as NodeJS.ErrnoException).code ?? '') ? [] : 'unanswered'
    }
  }
}
