/** Links with a DNS server of its own, and short words for claiming hosts and proving them. */
import { expect } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import type { Answer } from '../../../../test/world.ts'
import { newId } from '#dodeca/kernel'
import { openLinkWorld, type LinkWorld } from './link-world.ts'
import { openTxtServer, type TxtServer } from '../../../../test/txt-server.ts'

export type DomainWorld = LinkWorld & {
  readonly dns: TxtServer
  ask(who: Member, method: string, path: string, body?: object): Promise<Answer>
  claim(who: Member, hostname: string, more?: object): Promise<Answer>
  verify(who: Member, claimed: Answer): Promise<Answer>
  /** Writes the record that a claim asks for. */
  lay(claimed: Answer): void
  /** A host that was claimed and proven; answers the claim. */
  proven(who: Member, hostname: string): Promise<Answer>
}

export const newHost = () => `go-${newId().slice(-12)}.acme.test`

export async function openDomainWorld(settings: Record<string, string> = {}): Promise<DomainWorld> {
  const dns = await openTxtServer()
  const world = await openLinkWorld({
    LINKS_DNS_SERVERS: dns.address,
    LINKS_DOMAINS_PER_OWNER: '3',
    // The looks are taken by hand, one by one.
    ROLES: 'api',
    ...settings,
  })
  const ask: DomainWorld['ask'] = (who, method, path, body) =>
    world.call(method, path, { token: who.token, ...(body ? { body } : {}) })
  const claim: DomainWorld['claim'] = (who, hostname, more = {}) =>
    ask(who, 'POST', '/v1/domains', { hostname, ...more })
  const verify: DomainWorld['verify'] = (who, { body }) =>
    ask(who, 'POST', `/v1/domains/${body.id}/verify`)
  const lay: DomainWorld['lay'] = ({ body }) =>
    dns.lay(body.verification.record_name, ['v=spf1 -all', body.verification.record_value])
  return {
    ...world,
    dns,
    ask,
    claim,
    verify,
    lay,
    proven: async (who, hostname) => {
      const claimed = await claim(who, hostname)
      expect(claimed.status, claimed.text).toBe(201)
      lay(claimed)
      const answer = await verify(who, claimed)
      expect([answer.status, answer.body.state], answer.text).toEqual([200, 'active'])
      return claimed
    },
    close: async () => {
      await world.close()
      await dns.close()
    },
  }
}
