/**
 * Resolves attempts after a crash or a lost reply. If a lease expired and there is no wire mark,
 * the message was certainly not sent, so it waits again. If there is a mark, the outcome is
 * unknown. Then the provider is queried if that is possible, else a report is awaited. A provider
 * lists messages by address and text, so a message that another notification has is not ours. After that,
 * the category decides: the same message is sent again with the same ref, or is given up. The
 * message is never sent with another ref or over another provider.
 */
import { Type, type Static } from 'typebox'
import { parseTime, sql, Time, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { applyReports } from '../outcomes/apply-reports.ts'
import { ClaimedRow, messageColumns, messageOf } from './claim.ts'
import { insertAttempts } from './insert-attempts.ts'
import { prepareEach } from './prepare-each.ts'
import { outgoingOf, unknownSeconds } from './send-message.ts'
import { lockIntents, settleIntents } from './settle-intents.ts'

const portion = 100

export async function releaseEnded({ kernel: { db, settings } }: Deps): Promise<void> {
  const mail = settings['notifications.unknown_mail_seconds']
  const other = settings['notifications.unknown_other_seconds']
  await db.run(sql`
    -- any tenant: a sender sends for all of them
    update notifications.delivery_attempts a
    set state = case when a.wire_at is null then 'pending' else 'unknown' end,
      error_code = case when a.wire_at is null then a.error_code else 'lease_lost' end,
      next_attempt_at = case when a.wire_at is null then kernel.now()
        else a.wire_at + make_interval(secs => case a.channel when 'email' then ${mail}::int
          else ${other}::int end) end,
      lease_token = null, leased_until = null, updated_at = kernel.now()
    where (a.tenant_id, a.intent_id, a.channel, a.target, a.attempt_no) in (
      select e.tenant_id, e.intent_id, e.channel, e.target, e.attempt_no
      from notifications.delivery_attempts e
      where e.state = 'sending' and e.leased_until <= now()
      order by e.leased_until limit ${portion} for update skip locked)`)
}

const Unknown = Type.Object({ ...ClaimedRow.properties, wire_at: Time })
type Unknown = Static<typeof Unknown>

export async function resolveUnknown(deps: Deps): Promise<void> {
  const { db, clock, settings } = deps.kernel
  const found = await db.many(
    Unknown,
    sql`
      -- any tenant: a sender sends for all of them
      select a.tenant_id, a.intent_id, a.channel, a.target, a.attempt_no, a.provider, a.pinned,
        a.lane, a.batch_id, a.wire_at, ${messageColumns}
      from notifications.delivery_attempts a ${messageOf(sql`a`)}
      where a.state = 'unknown' and a.next_attempt_at <= kernel.now()
      order by a.next_attempt_at limit ${portion}`,
  )
  const categories = await deps.categories.findAll(db, found)
  for (const one of found) {
    const listed = await ask(deps, one)
    const over_ms = parseTime(one.wire_at) + unknownSeconds(settings, one) * 1000
    const category = categories.get(`${one.tenant_id} ${one.category}`)
    const give_up = one.channel === 'sms' || category?.on_unknown !== 'resend_same_ref'
    const in_time = parseTime(one.expires_at) > clock.nowMs()
    const over = over_ms <= clock.nowMs()
    await db.tx(async tx => {
      await lockIntents(tx, [one])
      const answer = listed && (await findOurs(tx, one, listed))
      await settle(tx, one, endOf(answer, over, give_up || !in_time), answer, clock.nowMs())
    })
  }
}

async function ask(deps: Deps, one: Unknown): Promise<readonly string[] | null> {
  const offered = await deps.providers.for(one.channel, '')
  const provider = offered.find(({ provider: { name } }) => name === one.provider)?.provider
  if (!provider?.find) return null
  // Also of a cancelled notification, or of a sender without the right, it is asked whether it was
  // sent, with the text that it had.
  const nobody = { principal_id: null, session_id: null, closes_digest: null }
  const asked = { ...one, ...nobody, cancelled: false, token: '' }
  const [ready] = (await prepareEach(deps, [asked])).ready
  if (!ready) return null
  const { clock, settings } = deps.kernel
  const from_ms = parseTime(one.wire_at)
  // The sender gives up before its lease ends.
  const until_ms = from_ms + settings['notifications.lease_seconds'] * 1000
  return provider.find(outgoingOf(ready, clock.nowMs()), { from_ms, until_ms })
}

type End = 'accepted' | 'resend' | 'failed' | 'wait'
/** The provider has our message, or never had it. Null if that is not known yet. */
type Answer = { readonly message_id: string | null } | null

const Others = Type.Object({ taken: Type.Array(Type.String()), sending: Type.Boolean() })

/**
 * The vendor lists a message before it replies, so it never had ours if all that it lists are of
 * others. While another message to the same recipient is being sent, its id may not be known yet.
 */
async function findOurs(tx: Tx, one: Unknown, listed: readonly string[]): Promise<Answer> {
  const { tenant_id, intent_id, provider, recipient_ref } = one
  // Two equal messages whose outcome is unknown must not both find the same one.
  await tx.run(sql`
    select pg_advisory_xact_lock(hashtextextended(${`notifications.find ${recipient_ref}`}, 0))`)
  const { taken, sending } = await tx.one(
    Others,
    sql`
      -- any tenant: tenants may share the account at the provider
      select array(select a.provider_message_id from notifications.delivery_attempts a
          where a.provider = ${provider} and a.provider_message_id = any(${listed}::text[])) as taken,
        exists (select from notifications.delivery_attempts a
          join notifications.notification_intents i on i.tenant_id = a.tenant_id and i.id = a.intent_id
          where a.state = 'sending' and a.wire_at is not null and a.provider = ${provider}
            and i.tenant_id = ${tenant_id} and i.recipient_ref = ${recipient_ref}
            and i.id <> ${intent_id}) as sending`,
  )
  const free = listed.filter(id => !taken.includes(id))
  if (free.length === 0) return { message_id: null }
  return sending ? null : { message_id: free[0] ?? null }
}

function endOf(answer: Answer, over: boolean, give_up: boolean): End {
  if (answer) return answer.message_id === null ? 'resend' : 'accepted'
  if (!over) return 'wait'
  return give_up ? 'failed' : 'resend'
}

const ask_again_seconds = 30

async function settle(
  tx: Tx,
  one: Unknown,
  end: End,
  answer: Answer,
  now_ms: number,
): Promise<void> {
  const { tenant_id, intent_id, channel, target, attempt_no } = one
  const keys = [{ tenant_id, intent_id }]
  const state = { accepted: 'accepted', resend: 'deferred', failed: 'failed', wait: 'unknown' }[end]
  const message_id = answer?.message_id ?? null
  const changed = await tx.run(sql`
    update notifications.delivery_attempts
    set state = ${state}, updated_at = kernel.now(),
      provider_message_id = coalesce(${message_id}, provider_message_id),
      error_code = case when ${end} = 'accepted' then null when ${end} = 'wait' then error_code
        else 'outcome_unknown' end,
      next_attempt_at = case when ${end} = 'wait'
        then kernel.now() + make_interval(secs => ${ask_again_seconds}) end
    where tenant_id = ${tenant_id} and intent_id = ${intent_id} and channel = ${channel}
      and target = ${target} and attempt_no = ${attempt_no} and state = 'unknown'`)
  if (changed === 0) return
  if (end === 'resend') {
    await insertAttempts(tx, [
      { ...one, attempt_no: attempt_no + 1, pinned: true, due_at_ms: now_ms },
    ])
  }
  await applyReports(tx, keys)
  await settleIntents(tx, keys)
}
