/**
 * Replaces the preferences of a user. The body is the whole set; preferences that it does not
 * contain have their defaults.
 */
import { Type } from 'typebox'
import { nullable, requireConditions, sql, Time } from '#dodeca/kernel'
import type { Conditions, Reader, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { isTimezone } from './quiet-hours.ts'
import { readPreferences } from './read-preferences.ts'
import type { PreferencesView, PutPreferences } from './schemas.ts'

const Version = Type.Object({ version: Type.Integer() })
const SetRow = Type.Object({
  version: Type.Integer(),
  locale: nullable(Type.String()),
  updated_at: Time,
})

type Whose = { readonly tenant_id: string; readonly user_id: string }

export async function putPreferences(
  tx: Tx,
  deps: Pick<Deps, 'categories'>,
  { tenant_id, user_id }: Whose,
  asked: PutPreferences,
  conditions: Conditions,
): Promise<void> {
  await checkFit(tx, deps, tenant_id, asked)
  const before = await tx.maybe(
    Version,
    sql`
      select version from notifications.preference_sets
      where tenant_id = ${tenant_id} and user_id = ${user_id} for update`,
  )
  // Preferences that were never put have version 0. `If-None-Match: *` is for the first PUT.
  const { if_match, if_none_match } = conditions
  requireConditions({ if_match, if_none_match: undefined }, before?.version ?? 0)
  requireConditions({ if_match: undefined, if_none_match }, before?.version ?? null)
  const { timezone, locale = null, preferences } = asked
  const { version } = await tx.one(
    Version,
    sql`
      insert into notifications.preference_sets as s (tenant_id, user_id, timezone, locale)
      values (${tenant_id}, ${user_id}, ${timezone}, ${locale})
      on conflict (tenant_id, user_id) do update
        set timezone = excluded.timezone, locale = excluded.locale, version = s.version + 1,
          updated_at = kernel.now()
      returning version`,
  )
  // Another request has created the set since.
  if (!before && version > 1) requireConditions(conditions, version - 1)
  await tx.run(sql`
    delete from notifications.preferences where tenant_id = ${tenant_id} and user_id = ${user_id}`)
  const rows = preferences.map(({ quiet_hours, timezone: zone = null, ...one }) => ({
    ...one,
    quiet_hours: quiet_hours ? sql.json(quiet_hours) : null,
    timezone: zone,
  }))
  await tx.run(sql`
    insert into notifications.preferences
      (tenant_id, user_id, category, channel, enabled, quiet_hours, timezone)
    select ${tenant_id}, ${user_id}, p.category, p.channel, p.enabled, p.quiet_hours, p.timezone
    from ${sql.table(rows, {
      category: 'text',
      channel: 'text',
      enabled: 'boolean',
      quiet_hours: 'jsonb',
      timezone: 'text',
    })} p`)
  await releaseHeld(tx, tenant_id, user_id)
}

/**
 * Messages that wait for quiet hours are checked again, because the hours may now be over or
 * longer.
 */
async function releaseHeld(tx: Tx, tenant_id: string, user_id: string): Promise<void> {
  await tx.run(sql`
    update notifications.delivery_attempts a
    set next_attempt_at = kernel.now()
    from notifications.notification_intents i
    where i.tenant_id = ${tenant_id} and i.recipient_ref = ${`user:${user_id}`}
      and i.state in ('held', 'processing')
      and a.tenant_id = i.tenant_id and a.intent_id = i.id and a.state = 'pending'
      and exists (select from notifications.decisions d
        where d.tenant_id = a.tenant_id and d.intent_id = a.intent_id and d.channel = a.channel
          and d.rule = 'quiet_hours' and d.outcome = 'hold')`)
}

async function checkFit(
  reader: Reader,
  { categories: all }: Pick<Deps, 'categories'>,
  tenant_id: string,
  asked: PutPreferences,
): Promise<void> {
  const refuse = (code: Parameters<typeof problem>[0], pointer: string, detail: string) =>
    problem(code, { detail, errors: [{ location: 'body', pointer, constraint: code }] })
  if (!isTimezone(asked.timezone)) {
    throw refuse(
      'invalid_timezone',
      '/timezone',
      'Give a name of the IANA list, such as Europe/Berlin.',
    )
  }
  const named = asked.preferences.map(({ category }) => ({ tenant_id, category }))
  const categories = await all.findAll(reader, named)
  const seen = new Set<string>()
  for (const [index, one] of asked.preferences.entries()) {
    const pointer = `/preferences/${index}`
    const { category, channel, quiet_hours, timezone } = one
    if (seen.has(`${category} ${channel}`)) {
      throw refuse('duplicate_preference', pointer, `${category} and ${channel} are named before.`)
    }
    seen.add(`${category} ${channel}`)
    if (timezone != null && !isTimezone(timezone)) {
      throw refuse(
        'invalid_timezone',
        `${pointer}/timezone`,
        'Give a name of the IANA list, such as Europe/Berlin.',
      )
    }
    if (quiet_hours && quiet_hours.start === quiet_hours.end) {
      throw refuse(
        'invalid_quiet_hours',
        `${pointer}/quiet_hours`,
        'Give a start and an end that differ.',
      )
    }
    const known = categories.get(`${tenant_id} ${category}`)
    // A person who switches off a category with one letter wrong would still get its messages.
    if (!known && category !== '*') {
      throw refuse(
        'unknown_category',
        `${pointer}/category`,
        `${category} is not defined. GET /v1/notification-categories lists the categories.`,
      )
    }
    if (known && !known.user_can_disable && !one.enabled) {
      throw refuse(
        'category_mandatory',
        `${pointer}/enabled`,
        `${category} cannot be switched off.`,
      )
    }
  }
}

export async function viewPreferences(
  reader: Reader,
  { tenant_id, user_id }: Whose,
): Promise<{ view: PreferencesView; version: number }> {
  const [row, sets] = await Promise.all([
    reader.maybe(
      SetRow,
      sql`
        select version, locale, updated_at from notifications.preference_sets
        where tenant_id = ${tenant_id} and user_id = ${user_id}`,
    ),
    readPreferences(reader, [{ tenant_id, user_id }]),
  ])
  const set = sets.get(`${tenant_id} ${user_id}`)
  const preferences = (set?.preferences ?? [])
    .map(({ quiet_hours, ...one }) => ({ user_id, ...one, quiet_hours: quiet_hours as never }))
    .toSorted((a, b) => (`${a.category} ${a.channel}` < `${b.category} ${b.channel}` ? -1 : 1))
  const view = {
    user_id,
    timezone: set?.timezone ?? 'UTC',
    locale: row?.locale ?? null,
    preferences,
    updated_at: row?.updated_at ?? null,
  }
  return { view, version: row?.version ?? 0 }
}
