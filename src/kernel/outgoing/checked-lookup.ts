/**
 * Resolves the name of a server that a user has chosen, for each new connection, and gives the
 * socket only addresses that the rules allow. So a DNS reply that changes between check and connect
 * has no effect. A host that is an address itself is not resolved; check it before.
 */
import type { LookupFunction } from 'node:net'
import type { AddressRules } from './allowed-addresses.ts'
import { openResolver } from './resolver.ts'
import { judgeAll } from './safe-target.ts'

export function checkedLookup(rules: Pick<AddressRules, 'check'>, port: number): LookupFunction {
  const resolver = openResolver({ servers: [] })
  return (host, { all }, done) => {
    resolver.addressesOf(host).then(
      addresses => {
        const verdict = judgeAll(rules, addresses, port)
        const found = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
        const [first] = found
        if (verdict !== 'ok' || !first) done(new Error(`${host} is refused: ${verdict}`), [])
        else if (all) done(null, found)
        else done(null, first.address, first.family)
      },
      (error: unknown) => done(error as NodeJS.ErrnoException, []),
    )
  }
}
