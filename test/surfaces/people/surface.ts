/** Who is calling, for tests: signed tokens and grants in a table, behind the same port as accounts. */
import { problem, sql } from '#dodeca/kernel'
import type { Access, Keyring, Principal, Surface } from '#dodeca/kernel'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Face } from './face.ts'
import { routes } from './routes.ts'
import { Grant } from './schemas.ts'

const use = 'people.tokens'

export const people: Surface<Face, Record<never, never>> = {
  name: 'people',
  settings: {},
  migrations: new URL('./migrations/', import.meta.url),
  permissions: {},
  errors,
  events,
  open: kernel => ({
    face: {
      token: principal => tokenOf(kernel.keys, principal),
      grant: (principal, permission) =>
        kernel.db.run(sql`
          insert into people.grants (tenant_id, account_id, permission)
          values (${principal.tenant_id}, ${principal.id}, ${permission})
          on conflict do nothing`),
      revoke: (principal, permission) =>
        kernel.db.run(sql`
          delete from people.grants
          where tenant_id = ${principal.tenant_id} and account_id = ${principal.id}
            and permission = ${permission}`),
      access: accessOf(kernel.keys),
    },
    routes,
  }),
}

function tokenOf(keys: Keyring, principal: Principal): string {
  const facts = Buffer.from(JSON.stringify(principal)).toString('base64url')
  return `${facts}.${keys.mac(use, Buffer.from(facts)).toString('base64url')}`
}

function accessOf(keys: Keyring): Access {
  return {
    authenticate: ({ token }) => {
      const [facts = '', mac = ''] = token.split('.')
      if (!keys.macMatches(use, Buffer.from(facts), Buffer.from(mac, 'base64url'))) {
        throw problem('invalid_token')
      }
      return JSON.parse(Buffer.from(facts, 'base64url').toString()) as Principal
    },
    stands: () => true,
    grants: async (reader, principal) => {
      const rows = await reader.many(
        Grant,
        sql`
          select permission from people.grants
          where tenant_id = ${principal.tenant_id} and account_id = ${principal.id}`,
      )
      return new Set(rows.map(row => row.permission))
    },
  }
}
