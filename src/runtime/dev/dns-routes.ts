/** Sets TXT records that the platform finds before it asks the DNS, to prove domains such as acme.test. */
import { Type } from 'typebox'
import { closed, reply, route, type Route } from '#dodeca/kernel'
import { dev_name, type DevRecords } from '../../kernel/outgoing/dev-records.ts'

const Name = Type.String({ pattern: dev_name.source, maxLength: 253 })
const Records = Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 20 })
const Set = closed({ name: Name, records: Records })

const common = {
  permission: 'public',
  hidden: true,
  added: true,
  idempotency: 'ignored',
  path: '/dev/dns',
} as const

export function dnsRoutes(records: DevRecords): Route[] {
  return [
    route({
      ...common,
      transaction: 'own',
      method: 'GET',
      summary: 'The TXT records that were set',
      replies: { 200: Type.Object({ data: Type.Array(Set) }) },
      handle: async () => {
        const names = await records.names()
        const data = await Promise.all(
          names.map(async name => ({ name, records: [...((await records.find(name)) ?? [])] })),
        )
        return reply(200, { data })
      },
    }),
    route({
      ...common,
      transaction: 'own',
      method: 'PUT',
      summary: 'Set the TXT records of a name; without records the name has none',
      body: Set,
      replies: { 200: Set },
      handle: async ({ body }) => {
        await records.set(body.name, body.records)
        return reply(200, body)
      },
    }),
  ]
}
