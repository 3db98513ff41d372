/** Routes of the destinations of a user, in addition to the address of the account. */
import { Type } from 'typebox'
import { routesOf, sql, UserId, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { requireUser, userIn } from '../require-user.ts'
import { problem } from '../errors.ts'
import { removeRow } from '../remove-row.ts'
import { readPushHosts } from './push-hosts.ts'
import { readAddress } from './read-address.ts'
import { DestinationView, NewDestination, VerifyDestination } from './schemas.ts'
import { storeDestination } from './store-destination.ts'
import { sendCode, verifyDestination } from './verify-destination.ts'

const path = '/v1/users/{user_id}/destinations'
const one = `${path}/{id}`
const absent = 'destination_not_found'
const may = 'notifications.destinations.write_any'
const columns = sql`id, user_id, channel, nullif(provider, '') as provider, masked as destination,
  verified_at, disabled_at, created_at`

const PushKey = Type.Object({ public_key: Type.String() })

const { open, get, list, create, post, del } = routesOf<Deps>({
  absent: 'user_not_found',
  permission: 'authenticated',
  added: true,
  params: { user_id: UserId },
})

export const destinationRoutes = open({
  createDestination: create(
    path,
    'Add a destination of a user',
    {
      for_others: may,
      body: NewDestination,
      reply: DestinationView,
      fails: [
        'permission_denied',
        'invalid_destination',
        'push_host_not_allowed',
        'quota_exceeded',
        'rate_limited',
      ],
    },
    async ({ tx, params: { user_id: named }, principal, grants, body }, deps) => {
      const held = await grants()
      const caller = { principal, grants: held }
      const user_id = await requireUser(tx, deps, caller, named, may, { changes: true })
      const { address, provider, country } = readAddress(body, await readPushHosts(deps))
      const { tenant_id } = principal
      const verified = address.channel === 'push' || held.has(may)
      const whose = { tenant_id, user_id }
      const stored = await storeDestination(tx, deps, { ...whose, address, provider, verified })
      if (!stored.verified) {
        if (address.channel === 'sms') checkCountry(deps, country)
        await sendCode(tx, deps, { ...whose, id: stored.id }, address)
      }
      const view = await find(tx, tenant_id, user_id, stored.id)
      if (!view) throw problem(absent)
      return view
    },
  ),

  listDestinations: list(
    path,
    'List the destinations of a user, with masked addresses',
    { for_others: may, item: DestinationView },
    async ({ tx, params: { user_id: named }, principal, grants, list }, deps) => {
      const { cursors } = deps.kernel
      const caller = { principal, grants: await grants() }
      const user_id = await requireUser(tx, deps, caller, named, may)
      const { after, fetch } = cursors.start(list)
      const before = (after?.[0] ?? null) as string | null // the cursor is ours: an id
      const rows = await tx.many(
        DestinationView,
        sql`
          select ${columns} from notifications.destinations
          where tenant_id = ${principal.tenant_id} and user_id = ${user_id}
            and (${before}::uuid is null or id < ${before}::uuid)
          order by id desc limit ${fetch}`,
      )
      return cursors.page(list, rows, row => [row.id])
    },
  ),

  deleteDestination: del(
    one,
    'Remove a destination',
    { for_others: may, absent, fails: ['permission_denied'] },
    async ({ tx, params: { user_id: named, id }, principal, grants }, deps) => {
      const caller = { principal, grants: await grants() }
      const user_id = await requireUser(tx, deps, caller, named, may, { absent, changes: true })
      const { tenant_id } = principal
      const removed = await removeRow(
        tx,
        { tenant_id, id },
        sql`
          delete from notifications.destinations
          where tenant_id = ${tenant_id} and user_id = ${user_id} and id = ${id}`,
      )
      if (removed === 'absent') throw problem(absent)
    },
  ),

  verifyDestination: post(
    `${one}/verify`,
    'Verify a destination with the code that was sent to it',
    {
      transaction: 'own',
      // A repeat finds the destination verified, and the code used.
      idempotency: 'ignored',
      absent,
      body: VerifyDestination,
      reply: DestinationView,
      fails: ['code_invalid'],
    },
    async ({ db, params, principal, body }, deps) => {
      const { tenant_id } = principal
      const user_id = userIn(principal, params.user_id)
      // Only a person who can read the mail knows its code.
      const found = principal.id === user_id && (await find(db, tenant_id, user_id, params.id))
      if (!found) throw problem(absent)
      if (!(await verifyDestination(deps, { tenant_id, user_id, id: params.id }, body.code))) {
        throw problem('code_invalid', {
          detail:
            'The code is wrong, has expired, or was tried too often. Add the destination again for a new one.',
        })
      }
      const view = await find(db, tenant_id, user_id, params.id)
      if (!view) throw problem(absent)
      return view
    },
  ),

  getNotificationPushKey: get(
    '/v1/notification-push-key',
    'Get the public key with which browsers subscribe to Web Push',
    { reply: PushKey, fails: ['not_found'] },
    (_context, { providers }) => {
      if (providers.push_key === null) throw problem('not_found')
      return { public_key: providers.push_key }
    },
  ),
})

function find(reader: Reader, tenant_id: string, user_id: string, id: string) {
  return reader.maybe(
    DestinationView,
    sql`
      select ${columns} from notifications.destinations
      where tenant_id = ${tenant_id} and user_id = ${user_id} and id = ${id}`,
  )
}

/** Codes by SMS cost money, and the owner of a premium number gets a share of it. */
function checkCountry({ kernel: { settings, profile } }: Deps, country: string): void {
  const countries = settings['notifications.sms_countries']
  if (countries.includes(country) || (profile === 'development' && countries.length === 0)) return
  throw problem('invalid_destination', {
    detail: 'Codes are not sent to numbers of this country.',
    errors: [{ location: 'body', pointer: '/address', constraint: 'country' }],
  })
}
