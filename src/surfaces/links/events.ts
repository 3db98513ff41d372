/** The events of the link shortener: ids and states, never a destination. A click has no event. */
import { Type } from 'typebox'
import { Id, nullable } from '#dodeca/kernel'

const Short = Type.String({ maxLength: 100 })
const Code = Type.String({ maxLength: 64 })
const link = { link_id: Id, domain_id: Id, code: Code }
const domain = { domain_id: Id, hostname: Type.String({ maxLength: 253 }) }

const declared = <const P extends Parameters<typeof Type.Object>[0]>(properties: P) => ({
  version: 1,
  data: Type.Object(properties),
})

export const events = {
  'link.created': declared({ ...link, owner_id: Id, state: Short }),
  'link.updated': declared({ ...link, destination_version: Type.Integer() }),
  'link.disabled': declared({ ...link, reason: Short }),
  'link.enabled': declared(link),
  'link.expired': declared(link),
  'link.deleted': declared(link),
  'link.scanned': declared({ ...link, safety_state: Short, destination_version: Type.Integer() }),
  'domain.created': declared({ ...domain, owner_id: Id }),
  'domain.verified': declared({ ...domain, transferred_from: nullable(Id) }),
  'domain.suspended': declared(domain),
  'domain.removed': declared({ ...domain, reason: Short }),
} as const
