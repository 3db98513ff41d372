/** What identity does without being asked: turning keys over, and forgetting what has had its time. */
import { sql } from '../../kernel/database/sql.ts'
import type { Loop } from '../../kernel/surface.ts'
import type { Deps } from './deps.ts'
import { resealCredentials } from './keys/reseal.ts'
import { resealSecrets } from './mfa/reseal-secrets.ts'

const portion = 1000

export function loops(deps: Deps): readonly Loop[] {
  return [
    { name: 'identity.signing_keys', every_ms: 10_000, run: () => advanceKeys(deps) },
    { name: 'identity.forget', every_ms: 60_000, run: () => forget(deps) },
    {
      name: 'identity.reseal',
      every_ms: 3_600_000,
      run: async signal => {
        await resealSecrets(deps.kernel, signal)
        await resealCredentials({ ...deps.kernel, hasher: deps.hasher }, signal)
      },
    },
    { name: 'identity.months', every_ms: 6 * 3_600_000, run: () => keepMonths(deps) },
  ]
}

async function advanceKeys({ kernel, keys }: Deps): Promise<void> {
  const moved = await kernel.db.tx(tx => keys.advance(tx))
  if (moved) kernel.wake()
}

async function keepMonths({ kernel: { db, settings } }: Deps): Promise<void> {
  const days = settings['identity.security_events_retention_days']
  await db.run(sql`select identity.keep_security_event_months(${days}::int)`)
}

/** Each in portions, so that no statement is long; what is left over waits for the next run. */
async function forget({ kernel: { db, settings } }: Deps): Promise<void> {
  const prune_seconds = settings['identity.refresh_prune_seconds']
  await db.run(sql`
    delete from identity.refresh_tokens where id_hash in (
      select id_hash from identity.refresh_tokens
      where used_at < clock_timestamp() - make_interval(secs => ${prune_seconds})
      limit ${portion})`)
  await db.run(sql`
    update identity.registrations set state = 'expired'
    where id in (select id from identity.registrations
      where state = 'pending' and expires_at <= kernel.now() limit ${portion})`)
  await db.run(sql`
    delete from identity.registrations where id in (select id from identity.registrations
      where state <> 'pending' and expires_at <= kernel.now() - interval '30 days' limit ${portion})`)
  await db.run(sql`
    delete from identity.one_time_challenges where id_hash in (
      select id_hash from identity.one_time_challenges
      where expires_at <= kernel.now() - interval '1 day' limit ${portion})`)
  await db.run(sql`
    delete from identity.requests where id in (select id from identity.requests
      where expires_at <= kernel.now() - interval '30 days' limit ${portion})`)
  await db.run(sql`
    delete from identity.mails where id in (select id from identity.mails
      where created_at <= kernel.now() - interval '8 days' limit ${portion})`)
}
