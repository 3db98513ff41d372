/**
 * The devices of a person. A push token becomes a destination of notifications and is not stored
 * here. A push token belongs to one device at a time, so that a device with a new owner does not
 * get the messages of the former owner.
 */
import { Type, type Static } from 'typebox'
import { closed, Id, nullable, oneOf, sql, text, Time, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'

const Platform = oneOf('web', 'ios', 'android', 'other')

export const PutDevice = closed(
  {
    platform: Platform,
    push_provider: Type.Optional(oneOf('fcm', 'webpush')),
    push_token: Type.Optional(text(4096)),
    push_subscription: Type.Optional(
      closed({
        endpoint: text(2048),
        keys: closed({ p256dh: text(200), auth: text(100) }),
      }),
    ),
  },
  { title: 'PutDevice' },
)
export type PutDevice = Static<typeof PutDevice>

export const Device = Type.Object(
  {
    id: Id,
    user_id: Id,
    platform: Platform,
    push_token_ref: nullable(Id),
    created_at: Time,
    last_seen_at: Time,
  },
  { title: 'Device' },
)
export type Device = Static<typeof Device>
const columns = sql`id, user_id, platform, push_token_ref, created_at, last_seen_at`
const Ref = Type.Object({ tenant_id: Type.String(), push_token_ref: nullable(Type.String()) })

export type Owner = { readonly tenant_id: string; readonly user_id: string }
type Needs = Pick<Deps, 'kernel' | 'messages'>

export async function listDevices(tx: Pick<Tx, 'many'>, owner: Owner): Promise<Device[]> {
  return await tx.many(
    Device,
    sql`
      select ${columns} from chat.devices
      where tenant_id = ${owner.tenant_id} and user_id = ${owner.user_id}
      order by last_seen_at desc, id limit 100`,
  )
}

export async function putDevice(
  tx: Tx,
  deps: Needs,
  owner: Owner & { readonly session_id: string | null },
  id: string,
  asked: PutDevice,
): Promise<Device> {
  const { tenant_id, user_id, session_id } = owner
  const address = addressOf(asked)
  // The transactions of a person run one at a time, so that the limit of devices holds.
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`chat.devices ${user_id}`}, 0))`)
  const hash = address && deps.kernel.keys.fingerprint('chat.push_tokens', address)
  // Two people who register one push token at the same moment come one after the other.
  if (hash) {
    const token = `chat.push_tokens ${tenant_id} ${hash.toString('hex')}`
    await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${token}, 0))`)
  }
  await release(
    tx,
    deps,
    sql`
      delete from chat.devices
      where tenant_id = ${tenant_id} and ((user_id = ${user_id} and id = ${id})
        or push_token_hash = ${hash})
      returning tenant_id, push_token_ref`,
  )
  await release(
    tx,
    deps,
    sql`
      delete from chat.devices
      where tenant_id = ${tenant_id} and user_id = ${user_id} and id in (
        select id from chat.devices where tenant_id = ${tenant_id} and user_id = ${user_id}
        order by last_seen_at desc, id
        offset ${deps.kernel.settings['chat.devices'] - 1})
      returning tenant_id, push_token_ref`,
  )
  const push_token_ref = address && (await register(tx, deps, owner, asked))
  return await tx.one(
    Device,
    sql`
      insert into chat.devices (tenant_id, user_id, id, platform, push_token_ref, push_token_hash,
        session_id)
      values (${tenant_id}, ${user_id}, ${id}, ${asked.platform}, ${push_token_ref}, ${hash},
        ${session_id})
      returning ${columns}`,
  )
}

export async function removeDevice(tx: Tx, deps: Needs, owner: Owner, id: string): Promise<void> {
  const { tenant_id, user_id } = owner
  await release(
    tx,
    deps,
    sql`
      delete from chat.devices
      where tenant_id = ${tenant_id} and user_id = ${user_id} and id = ${id}
      returning tenant_id, push_token_ref`,
  )
}

/** Deletes the selected devices and their push destinations. Returns how many devices there were. */
export async function release(
  tx: Tx,
  { messages }: Pick<Deps, 'messages'>,
  deleting: ReturnType<typeof sql>,
): Promise<number> {
  const gone = await tx.many(Ref, deleting)
  for (const { tenant_id, push_token_ref } of gone) {
    if (push_token_ref) await messages.removeDestination(tx, { tenant_id, id: push_token_ref })
  }
  return gone.length
}

async function register(
  tx: Tx,
  { messages }: Needs,
  { tenant_id, user_id }: Owner,
  { push_token: token, push_subscription: subscription }: PutDevice,
): Promise<string> {
  const provider = subscription ? 'webpush' : 'fcm'
  const device = { provider, token, subscription }
  const stored = await messages.registerDevice(tx, { tenant_id, user_id }, device)
  if ('id' in stored) return stored.id
  const [pointer, detail] = refusals[stored.refused]
  throw refuse(pointer, detail)
}

const refusals = {
  provider: ['/push_token', 'Send the token as the push service gave it.'],
  endpoint: ['/push_subscription/endpoint', 'Send the endpoint as the browser gave it.'],
  host: [
    '/push_subscription/endpoint',
    'The endpoint is at none of the push services that this platform sends to.',
  ],
  keys: ['/push_subscription/keys', 'Send the keys as the browser gave them, in base64url.'],
} as const

function refuse(pointer: string, detail: string) {
  return problem('validation_failed', {
    detail,
    errors: [{ location: 'body', pointer, constraint: 'not' }],
  })
}

function addressOf({ push_provider, push_token, push_subscription }: PutDevice): string | null {
  if (push_token !== undefined && push_subscription !== undefined) {
    throw refuse('/push_token', 'Send a push_token or a push_subscription, not both.')
  }
  if (push_token !== undefined && push_provider === 'webpush') {
    throw refuse('/push_token', 'A browser sends its push_subscription.')
  }
  if (push_subscription !== undefined && push_provider === 'fcm') {
    throw refuse('/push_subscription', 'The provider fcm needs a push_token.')
  }
  if (push_subscription) return JSON.stringify(push_subscription)
  return push_token ?? null
}
