/** Reads the current preferences of people. */
import { Type } from 'typebox'
import { Id, nullable, sql, type Reader } from '#dodeca/kernel'
import type { PreferenceSet, Preference } from './resolve.ts'
import type { QuietHours } from './quiet-hours.ts'

const Row = Type.Object({
  tenant_id: Id,
  user_id: Id,
  set_timezone: Type.String(),
  locale: nullable(Type.String()),
  category: nullable(Type.String()),
  channel: nullable(Type.String()),
  enabled: nullable(Type.Boolean()),
  quiet_hours: Type.Unsafe<QuietHours | null>({}),
  timezone: nullable(Type.String()),
})

/** The key is `<tenant> <user>`. People without preferences are left out. */
export async function readPreferences(
  reader: Reader,
  wanted: readonly { readonly tenant_id: string; readonly user_id: string }[],
): Promise<ReadonlyMap<string, PreferenceSet>> {
  const sets = new Map<
    string,
    { timezone: string; locale: string | null; preferences: Preference[] }
  >()
  if (wanted.length === 0) return sets
  const rows = await reader.many(
    Row,
    sql`
      select s.tenant_id, s.user_id, s.timezone as set_timezone, s.locale, p.category, p.channel, p.enabled,
        p.quiet_hours, p.timezone
      from ${sql.table(wanted, { tenant_id: 'uuid', user_id: 'uuid' })} w
      join notifications.preference_sets s on s.tenant_id = w.tenant_id and s.user_id = w.user_id
      left join notifications.preferences p on p.tenant_id = s.tenant_id and p.user_id = s.user_id`,
  )
  for (const row of rows) {
    const name = `${row.tenant_id} ${row.user_id}`
    const { set_timezone, locale } = row
    const set = sets.get(name) ?? { timezone: set_timezone, locale, preferences: [] }
    sets.set(name, set)
    const { category, channel, enabled, quiet_hours, timezone } = row
    if (category === null || channel === null || enabled === null) continue
    set.preferences.push({ category, channel, enabled, quiet_hours, timezone })
  }
  return sets
}
