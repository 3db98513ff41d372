/**
 * Decides again about claimed attempts and renders the messages that are sent. The decision uses
 * the current preferences, suppressions, addresses and rights of senders, and the current time.
 */
import { parseTime } from '#dodeca/kernel'
import type { Category } from '../categories/built-in.ts'
import type { Deps } from '../deps.ts'
import { decide } from '../intents/decide.ts'
import {
  loadFacts,
  openAddresses,
  readSuppressions,
  type FactsOf,
  type Target,
} from '../intents/load-facts.ts'
import { planChannel, type Planned } from '../intents/plan.ts'
import { languagesFor } from '../intents/languages.ts'
import { isMail, parseRef } from '../intents/recipient.ts'
import { readSenders, type Senders } from '../intents/senders.ts'
import { masked_link } from '../suppressions/unsubscribe-links.ts'
import {
  hashOf,
  render,
  RenderFailure,
  type Rendered,
  type RenderInput,
} from '../templates/render.ts'
import type { DataKeys } from '../vault.ts'
import { wishFor } from '../preferences/resolve.ts'
import { closeAgain } from '../digests/close-again.ts'
import type { Claimed } from './claim.ts'
import { dataOf, readMails, readPlugged, type Mail } from './read-mails.ts'
import { resultOf, type Result } from './result.ts'

export type Ready = {
  readonly claimed: Claimed
  readonly category: Category
  readonly target: Target
  readonly to: string
  readonly message: Rendered
  readonly sha256: Buffer
  readonly unsubscribe_url: string | null
  /** The address has bounced. A mail of class security may be sent to it once a day. */
  readonly is_trial: boolean
}

export type Prepared = { readonly ready: Ready[]; readonly results: Result[] }

type Known = {
  readonly facts: FactsOf
  readonly categories: ReadonlyMap<string, Category>
  readonly keys: DataKeys
  readonly senders: Senders
  /** By intent: the mails whose words and address are asked now. */
  readonly mails: ReadonlyMap<string, Mail>
  /** Suppressions of the addresses of mails. */
  readonly bounced: Awaited<ReturnType<typeof readSuppressions>>
  readonly now_ms: number
}

export async function prepareMessages(deps: Deps, taken: readonly Claimed[]): Promise<Prepared> {
  const { db } = deps.kernel
  const claimed = await closeAgain(deps, taken)
  const data_keys = deps.vault.knownKeys(
    db,
    claimed.flatMap(({ tenant_id, owner_id }) =>
      owner_id === null ? [] : [{ tenant_id, owner_id }],
    ),
  )
  const [facts, categories, keys, senders, ...found] = await Promise.all([
    loadFacts(db, deps, claimed),
    deps.categories.findAll(db, claimed),
    data_keys,
    readSenders(deps.people.recentGrantsOf, claimed),
    readMails(deps, claimed),
    readPlugged(deps, claimed, data_keys),
  ])
  const mails = new Map(found.flatMap(some => [...some]))
  const bounced = await readSuppressions(
    db,
    claimed.flatMap(({ tenant_id, intent_id }) => {
      const mail = mails.get(intent_id)
      return mail ? [{ tenant_id, hash: mail.target.hash }] : []
    }),
  )
  const now_ms = deps.kernel.clock.nowMs()
  const known: Known = { facts, categories, keys, senders, mails, bounced, now_ms }
  const results: Result[] = []
  const going: { claimed: Claimed; planned: Planned; category: Category }[] = []
  for (const one of claimed) {
    const decided = decideAttempt(one, known)
    if ('claimed' in decided) results.push(decided)
    else going.push({ claimed: one, ...decided })
  }
  const addresses = await openAddresses(
    db,
    deps,
    going.flatMap(({ claimed: { tenant_id }, planned: { target } }) =>
      target ? [{ tenant_id, target }] : [],
    ),
  )
  const ready: Ready[] = []
  for (const { claimed: one, planned, category } of going) {
    try {
      const made = await compose(deps, one, category, planned, known, addresses)
      if ('to' in made) ready.push(made)
      else results.push(made)
    } catch (error) {
      if (!(error instanceof RenderFailure)) throw error
      results.push(resultOf(one, { state: 'failed', error_code: error.code }))
    }
  }
  return { ready, results }
}

/** A result for a message that is not sent now. */
function decideAttempt(
  claimed: Claimed,
  known: Known,
): Result | { planned: Planned; category: Category } {
  const { tenant_id, channel, target, priority } = claimed
  if (claimed.cancelled) return resultOf(claimed, { state: 'cancelled', error_code: 'cancelled' })
  const category = known.categories.get(`${tenant_id} ${claimed.category}`)
  if (!category) return resultOf(claimed, { state: 'failed', error_code: 'render_failed' })
  const recipient = parseRef(claimed.recipient_ref)
  const expires_at_ms = parseTime(claimed.expires_at)
  const devices = channel === 'push' && target === '' && recipient.kind === 'user'
  const in_batch = claimed.batch_id !== null
  const sender_may = known.senders.may(claimed, { category, priority, in_batch })
  const about = { tenant_id, recipient, category, priority, expires_at_ms, sender_may }
  const planned = isMail(recipient.kind)
    ? planMail(claimed, category, known)
    : planChannel(about, channel, known.facts, known.now_ms, target === '' ? undefined : target)
  if (!planned) return resultOf(claimed, { state: 'cancelled', error_code: 'cancelled' })
  const { decision } = planned
  if (decision.outcome === 'skip') {
    const decided = { rule: decision.rule, outcome: 'skip' }
    return resultOf(claimed, { state: 'skipped', error_code: decision.reason, decided })
  }
  if (decision.outcome === 'hold') {
    const decided = { rule: decision.rule, outcome: 'hold' }
    return resultOf(claimed, { state: 'pending', due_at_ms: decision.until_ms, decided })
  }
  if (devices) {
    const all = known.facts.of(tenant_id, claimed.recipient_ref).targets
    const ids = all.flatMap(one =>
      one.channel === 'push' && one.verified ? [one.destination_id ?? ''] : [],
    )
    return resultOf(claimed, { state: 'skipped', devices: ids, due_at_ms: known.now_ms })
  }
  return { planned, category }
}

/** Null if the mail should not be sent any more. */
function planMail(
  claimed: Claimed,
  category: Category,
  { facts, mails, bounced, now_ms }: Known,
): Planned | null {
  const mail = mails.get(claimed.intent_id)
  if (!mail) return null
  const decision = decide({
    now_ms,
    expires_at_ms: parseTime(claimed.expires_at),
    channel: claimed.channel,
    category,
    priority: claimed.priority,
    wish: wishFor(undefined, category.name, claimed.channel),
    sender_may: true,
    served: facts.served('email'),
    destination: 'present',
    suppressed:
      bounced.get(`${claimed.tenant_id} email ${mail.target.hash.toString('base64')}`) ?? [],
  })
  return { channel: claimed.channel, decision, target: mail.target }
}

async function compose(
  deps: Deps,
  claimed: Claimed,
  category: Category,
  { target, decision }: Planned,
  known: Known,
  addresses: ReadonlyMap<Target, string>,
): Promise<Ready | Result> {
  const { tenant_id, channel, recipient_ref } = claimed
  const version = await deps.templates.of(deps.kernel.db, tenant_id, claimed.template_version)
  const template = version.channels.get(channel)
  if (!template)
    throw new RenderFailure('render_failed', 'the template has no text for this channel')
  const mail = known.mails.get(claimed.intent_id)
  const recipient = known.facts.of(tenant_id, recipient_ref)
  const data = mail?.masked ?? dataOf(claimed, known.keys)
  if (!data) return resultOf(claimed, { state: 'cancelled', error_code: 'cancelled' })
  const link =
    category.unsubscribe && target && channel === 'email'
      ? deps.unsubscribe.linkFor({ tenant_id, hash: target.hash, category: category.name })
      : null
  const input: RenderInput = {
    data,
    locales: languagesFor(deps.kernel, recipient, claimed.locale, mail?.locale),
    timezone: recipient.preferences?.timezone ?? 'UTC',
    now: claimed.created_at,
    unsubscribe_url: masked_link,
  }
  // Only the hash of the masked message is stored. It is the same each time and contains no secret.
  const masked = render(template, input)
  const sha256 = hashOf(masked)
  if (channel === 'in_app') {
    const user_id = parseRef(recipient_ref).id
    const item = {
      tenant_id,
      user_id,
      intent_id: claimed.intent_id,
      category: category.name,
      message: masked,
    }
    return resultOf(claimed, { state: 'delivered', sha256, item })
  }
  const to = target && addresses.get(target)
  if (!target || to === undefined || to === null) {
    return resultOf(claimed, { state: 'skipped', error_code: 'no_destination' })
  }
  const message =
    mail || link !== null
      ? render(template, {
          ...input,
          data: mail?.real ?? data,
          unsubscribe_url: link ?? masked_link,
        })
      : masked
  const is_trial = decision.rule === 'suppression'
  return { claimed, category, target, to, message, sha256, unsubscribe_url: link, is_trial }
}
