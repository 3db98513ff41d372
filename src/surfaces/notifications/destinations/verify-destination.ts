/**
 * Verifies that an email address or number belongs to its user. A code of six digits is sent there;
 * it is valid for ten minutes and five tries. The limits are the same for every address, so that
 * the reply reveals nothing about it.
 */
import { Type } from 'typebox'
import { Id, limit, newId, newSecret, nullable, sql, type Tx } from '#dodeca/kernel'
import { destinationHash, type Address } from '../addresses.ts'
import { builtInCategories } from '../categories/built-in.ts'
import type { Deps } from '../deps.ts'
import { accept } from '../intents/accept.ts'
import { by_platform, plain } from '../intents/order.ts'
import { storeAddresses } from '../intents/recipient.ts'

const code_seconds = 600
const tries_max = limit(
  'notifications.code_attempts',
  5,
  'attempts',
  'Wrong codes of one verification of a destination',
)
const digits = 1_000_000
const Challenged = Type.Object({
  code_hash: nullable(Type.Unsafe<Buffer>({})),
  open: Type.Boolean(),
})
const Verified = Type.Object({ id: Id })

type At = { readonly tenant_id: string; readonly user_id: string; readonly id: string }

export async function sendCode(
  tx: Tx,
  deps: Deps,
  { tenant_id, user_id, id }: At,
  address: Address,
): Promise<void> {
  const { kernel } = deps
  await requireTurn(tx, deps, tenant_id, user_id, address)
  const drawn = Buffer.from(newSecret(16), 'base64url').readUIntBE(0, 6) % digits
  const code = String(drawn).padStart(6, '0')
  await tx.run(sql`
    update notifications.destinations
    set code_hash = ${codeHash(deps, id, code)}, code_attempts = 0,
      code_expires_at = kernel.now() + make_interval(secs => ${code_seconds})
    where tenant_id = ${tenant_id} and user_id = ${user_id} and id = ${id}`)
  const category = builtInCategories.get('identity.security')
  if (!category) throw new Error('the category of codes is missing')
  const [destination = ''] = await storeAddresses(tx, deps, tenant_id, [address])
  const [person] = await deps.people.recipients(tx, [{ tenant_id, principal_id: user_id }])
  const now_ms = kernel.clock.nowMs()
  await accept(tx, deps, {
    ...plain,
    id: newId(),
    tenant_id,
    principal_id: by_platform,
    recipient: { kind: 'destination', id: destination },
    category,
    template: await deps.templates.toSend(tx, tenant_id, { name: 'verification-code' }, true),
    data: { code },
    channels: [address.channel],
    priority: 'critical',
    locale: person?.locale ?? null,
    expires_at_ms: now_ms + code_seconds * 1000,
    created_at_ms: now_ms,
  })
}

/**
 * The limit of one address holds over all tenants, so that codes cannot be used to flood a
 * stranger.
 */
async function requireTurn(
  tx: Tx,
  { kernel }: Deps,
  tenant_id: string,
  user_id: string,
  address: Address,
): Promise<void> {
  const { settings, keys } = kernel
  const everywhere = destinationHash(keys, '*', address).toString('hex')
  const day = 86_400
  const bucket = (name: string, of: string, many: number, per_seconds: number) => ({
    name: `notifications.codes_${name}`,
    of,
    many,
    per_seconds,
  })
  const taken = await kernel.take(tx, [
    bucket('account', `${tenant_id}/${user_id}`, settings['notifications.codes_per_day'], day),
    bucket('address', everywhere, settings['notifications.codes_per_destination_per_day'], day),
    bucket('tenant', tenant_id, settings['notifications.codes_per_tenant_per_hour'], 3600),
  ])
  tx.afterCommit(() => taken.keep())
}

function codeHash({ kernel: { keys } }: Deps, id: string, code: string): Buffer {
  return keys.fingerprint('notifications.codes', `${id}\n${code}`)
}

/** A wrong code counts although the request fails, so it is counted in a separate transaction. */
export async function verifyDestination(deps: Deps, at: At, code: string): Promise<boolean> {
  const { db } = deps.kernel
  const { tenant_id, user_id, id } = at
  return db.tx(async tx => {
    const challenged = await tx.maybe(
      Challenged,
      sql`
        update notifications.destinations
        set code_attempts = code_attempts + 1
        where tenant_id = ${tenant_id} and user_id = ${user_id} and id = ${id}
          and code_attempts < ${tries_max}
        returning code_hash, coalesce(code_expires_at > kernel.now(), false) as open`,
    )
    // The stored value is a keyed hash of a few digits, so the time of the comparison reveals
    // nothing.
    if (!challenged?.open || !challenged.code_hash?.equals(codeHash(deps, id, code))) return false
    const verified = await tx.maybe(
      Verified,
      sql`
        update notifications.destinations
        set verified_at = coalesce(verified_at, kernel.now()), code_hash = null, code_expires_at = null
        where tenant_id = ${tenant_id} and user_id = ${user_id} and id = ${id}
        returning id`,
    )
    return verified !== undefined
  })
}
