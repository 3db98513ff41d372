/**
 * Resolves attempts after a crash or a lost reply. If a lease expired and there is no wire mark,
 * the message was certainly not sent, so it waits again. If there is a mark, the outcome is
 * unknown. Then the provider is queried if that is possible, else a report is awaited. After that,
 * the category decides: the same message is sent again with the same ref, or is given up. The
 * message is never sent with another ref or over another provider.
 */
import { Type, type Static } from 'typebox'
import { parseTime } from '../../../kernel/clock.ts'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { Time } from '../../../kernel/http/shapes.ts'
import { findCategories } from '../categories/find-category.ts'
import type { Deps } from '../deps.ts'
import { applyReports } from '../outcomes/apply-reports.ts'
import type { Outcome } from '../providers/outcome.ts'
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
  const categories = await findCategories(db, found)
  for (const one of found) {
    const answer = await ask(deps, one)
    const over_ms = parseTime(one.wire_at) + unknownSeconds(settings, one) * 1000
    const category = categories.get(`${one.tenant_id} ${one.category}`)
    const give_up = one.channel === 'sms' || category?.on_unknown !== 'resend_same_ref'
    const in_time = parseTime(one.expires_at) > clock.nowMs()
    const end = endOf(answer, over_ms <= clock.nowMs(), give_up || !in_time)
    await db.tx(tx => settle(tx, one, end, answer, clock.nowMs()))
  }
}

async function ask(deps: Deps, one: Unknown): Promise<Outcome | null> {
  const offered = await deps.providers.for(one.channel, '')
  const provider = offered.find(({ provider: { name } }) => name === one.provider)?.provider
  if (!provider?.find) return null
  // Also of a cancelled notification it is asked whether it was sent.
  const asked = { ...one, cancelled: false, token: '' }
  const [ready] = (await prepareEach(deps, [asked])).ready
  return ready
    ? provider.find(outgoingOf(ready, deps.kernel.clock.nowMs()), parseTime(one.wire_at))
    : null
}

type End = 'accepted' | 'resend' | 'failed' | 'wait'

function endOf(answer: Outcome | null, over: boolean, give_up: boolean): End {
  if (answer?.kind === 'accepted') return 'accepted'
  if (answer?.kind === 'failed') return 'resend'
  if (!over) return 'wait'
  return give_up ? 'failed' : 'resend'
}

const ask_again_seconds = 30

async function settle(
  tx: Tx,
  one: Unknown,
  end: End,
  answer: Outcome | null,
  now_ms: number,
): Promise<void> {
  const { tenant_id, intent_id, channel, target, attempt_no } = one
  const keys = [{ tenant_id, intent_id }]
  await lockIntents(tx, keys)
  const state = { accepted: 'accepted', resend: 'deferred', failed: 'failed', wait: 'unknown' }[end]
  const message_id = answer?.kind === 'accepted' ? answer.provider_message_id : null
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
