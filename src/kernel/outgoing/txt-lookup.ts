/**
 * The TXT records of a name, from the configured DNS servers (or those of the system). An empty
 * result is a valid reply. A missing reply is an error, and must not count against a domain. In
 * development, records that were set with `PUT /dev/dns` come first.
 */
import { Resolver } from 'node:dns/promises'
import { openDevRecords } from './dev-records.ts'

export type TxtLookup = (name: string) => Promise<readonly string[] | 'unanswered'>

const absent = new Set(['ENOTFOUND', 'ENODATA', 'NXDOMAIN'])

export function openTxtLookup(
  { profile, data_dir }: { readonly profile: string; readonly data_dir: string },
  servers: readonly string[],
): TxtLookup {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  const set = profile === 'development' ? openDevRecords(data_dir) : null
  return async name => {
    const records = await set?.find(name)
    if (records) return records
    try {
      const found = await resolver.resolveTxt(name)
      // A long record arrives in pieces of 255 bytes.
      return found.map(pieces => pieces.join(''))
    } catch (error) {
      return absent.has((error as NodeJS.ErrnoException).code ?? '') ? [] : 'unanswered'
    }
  }
}
