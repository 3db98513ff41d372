/**
 * What an operator asks of PostgreSQL itself: `dodeca doctor database`. All of it comes from the server,
 * because a URL that names HAProxy says neither which server answers nor whether TLS reaches it.
 */
import { Type } from 'typebox'
import { sql, type Db } from '#dodeca/kernel'
import { connections, fine, violation, warning, type Answer, type Question } from './doctor.ts'

const version_min = 150_000
const xid_age = { warning: 500_000_000, violation: 1_500_000_000 }
const dead_rows_min = 1_000_000

const asked: readonly (readonly [says: string, ask: (db: Db) => Promise<Answer>])[] = [
  ['PostgreSQL has a version that the platform supports', version],
  ['The way to PostgreSQL is encrypted', encryption],
  ['A synchronous standby has each commit', standby],
  ['The log is archived, so a moment can be restored', archive],
  ['PostgreSQL has free connections', db => connections({ db })],
  ['Transaction ids are far from their end', transactionIds],
  ['Dead rows of the largest tables are removed', tables],
]

/** All of one name, and asked only by it. */
export const databaseQuestions: readonly Question[] = asked.map(([says, ask]) => ({
  name: 'database',
  says,
  ask: ({ db }) => ask(db),
}))

async function version(db: Db): Promise<Answer> {
  const { number, text } = await db.one(
    Type.Object({ number: Type.Integer(), text: Type.String() }),
    sql`
      select current_setting('server_version_num')::int as number,
        current_setting('server_version') as text`,
  )
  if (number >= version_min) return fine(`PostgreSQL ${text}`)
  return violation([`PostgreSQL ${text}`], 'Upgrade it to PostgreSQL 15 or newer.')
}

const Encryption = Type.Object({
  address: Type.Union([Type.String(), Type.Null()]),
  near: Type.Boolean(),
  tls: Type.Union([Type.String(), Type.Null()]),
})

async function encryption(db: Db): Promise<Answer> {
  const { address, near, tls } = await db.one(
    Encryption,
    sql`
      select host(inet_server_addr()) as address,
        inet_server_addr() is null or inet_server_addr() <<= any('{127.0.0.0/8,::1}'::inet[]) as near,
        (select version from pg_stat_ssl where pid = pg_backend_pid() and ssl) as tls`,
  )
  if (tls) return fine(`${tls} to ${address ?? 'a socket'}`)
  if (near) return fine('PostgreSQL is on this machine')
  return violation(
    [`no TLS to ${address}`],
    'Add ?sslmode=verify-full&sslrootcert=… to DATABASE_URL, and let pg_hba.conf accept only hostssl.',
  )
}

const Standby = Type.Object({
  wanted: Type.String(),
  monitors: Type.Boolean(),
  names: Type.Array(Type.String()),
})

async function standby(db: Db): Promise<Answer> {
  const { wanted, monitors, names } = await db.one(
    Standby,
    sql`
      select current_setting('synchronous_standby_names') as wanted,
        pg_has_role(current_user, 'pg_monitor', 'usage') as monitors,
        array(select application_name from pg_stat_replication
          where sync_state in ('sync', 'quorum') order by 1) as names`,
  )
  if (wanted === '') {
    const advice = 'Only one disk has what was acknowledged. See "Database" in the documentation.'
    return warning('synchronous_standby_names is empty', advice)
  }
  if (!monitors) {
    const advice = 'Run `grant pg_monitor to …` for the role of DATABASE_URL, then check again.'
    return warning('this role may not see the standbys', advice)
  }
  if (names.length > 0) return fine(`${names.join(', ')} has each commit`)
  return violation(
    [`no standby of ${wanted} follows`],
    'Commits wait until one does: start a standby again (`patronictl list`).',
  )
}

const Archive = Type.Object({
  mode: Type.String(),
  archived: Type.Integer(),
  failed: Type.Integer(),
  seconds: Type.Union([Type.Integer(), Type.Null()]),
  failing: Type.Boolean(),
})

async function archive(db: Db): Promise<Answer> {
  const { mode, archived, failed, seconds, failing } = await db.one(
    Archive,
    sql`
      select current_setting('archive_mode') as mode, archived_count as archived,
        failed_count as failed,
        extract(epoch from clock_timestamp() - last_archived_time)::int as seconds,
        coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as failing
      from pg_stat_archiver`,
  )
  if (mode === 'off') {
    const advice = 'Between two backups nothing can be restored. See "Restore to a moment".'
    return warning('archive_mode is off', advice)
  }
  const last = seconds === null ? 'none was archived yet' : `the last one ${seconds} s ago`
  const found = `${archived} files archived, ${last}; ${failed} failures`
  if (!failing) return fine(found)
  const advice =
    'Read the log of PostgreSQL and of pgBackRest: the log files fill the disk meanwhile.'
  return violation([found], advice)
}

async function transactionIds(db: Db): Promise<Answer> {
  const { age } = await db.one(
    Type.Object({ age: Type.Integer() }),
    sql`select max(age(datfrozenxid)) as age from pg_database`,
  )
  const found = `the oldest is ${Math.round(age / 1_000_000)} million transactions old`
  const advice = 'Autovacuum is behind: end transactions that are open for hours, and run VACUUM.'
  if (age > xid_age.violation) return violation([found], advice)
  return age > xid_age.warning ? warning(found, advice) : fine(found)
}

const Table = Type.Object({
  name: Type.String(),
  mebibytes: Type.Integer(),
  live: Type.Integer(),
  dead: Type.Integer(),
})

async function tables(db: Db): Promise<Answer> {
  const rows = await db.many(
    Table,
    sql`
      select schemaname || '.' || relname as name,
        (pg_total_relation_size(relid) / 1048576)::int as mebibytes,
        n_live_tup::int8 as live, n_dead_tup::int8 as dead
      from pg_stat_user_tables
      order by pg_total_relation_size(relid) desc limit 20`,
  )
  const found = rows.map(
    one => `${one.name}: ${one.mebibytes} MiB, ${one.live} rows, ${one.dead} dead`,
  )
  if (!rows.some(({ live, dead }) => dead > dead_rows_min && dead > live)) return fine(...found)
  const advice =
    'Run VACUUM on the tables with more dead rows than others, and look why autovacuum is late.'
  return { state: 'warning', found, advice }
}
