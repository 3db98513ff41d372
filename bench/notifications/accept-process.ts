/**
 * Accepting a notification without a platform: Fastify and pg run the statements that the platform sends
 * for it, in the same packets, on the same tables and indexes. They were taken down with log_statement=all
 * and must be taken down again when those of the platform change. It checks nothing, seals nothing and
 * plans nothing.
 */
import { randomBytes } from 'node:crypto'
import fastify from 'fastify'
import pg from 'pg'
import { newId } from '#dodeca/kernel'

export type BareAccept = {
  readonly database_url: string
  readonly tenant_id: string
  readonly user_id: string
}

const texts = {
  grants: `
    select coalesce(r.role_id, 'member') as role_id, p.permission
    from identity.accounts a
    left join identity.role_assignments r on r.tenant_id = $1 and r.account_id = a.id
    left join identity.role_permissions p
      on p.tenant_id = r.tenant_id and p.role_id = r.role_id
    where a.id = $2 and a.status = 'active'
      and (a.tenant_id = $3 or r.role_id is not null)
      and ($4::uuid is null or exists (select from identity.sessions s
        where s.id = $5::uuid and s.revoked_at is null))`,
  look_up: `
    select pg_try_advisory_xact_lock($1) as locked, r.state, r.fingerprint, r.operation_id,
      r.leased_until > now() as leased, r.status, r.headers, r.body, r.resource_ref
    from (values (true)) as always (one)
    left join kernel.idempotency_records r on r.principal_id = $2 and r.operation = $3 and r.key = $4`,
  template: `
    select v.version, v.status, v.default_locale, v.data_schema, v.created_at, v.published_at, t.id,
      t.channel, t.format, t.subject, t.body, t.text_body, t.url, t.locales
    from notifications.template_versions v
    join notifications.templates t
      on t.tenant_id = v.tenant_id and t.name = v.name and t.version = v.version
    where v.tenant_id = $1 and v.name = $2 and v.version = coalesce(
      $3::int,
      (select l.version from notifications.template_versions l
        where l.tenant_id = $4 and l.name = $5 and l.status = 'published'
        order by l.version desc limit 1))
    order by t.channel`,
  person: `
    select w.tenant_id, w.principal_id, a.id, a.locale,
      case when a.verified_at is not null then a.email end as address
    from unnest($1::uuid[], $2::uuid[]) w (tenant_id, principal_id)
    left join identity.api_keys k on k.tenant_id = w.tenant_id and k.id = w.principal_id
    join identity.accounts a
      on a.tenant_id = w.tenant_id and a.id = coalesce(k.account_id, w.principal_id)
    where a.status = 'active'`,
  destinations: `
    select d.tenant_id, d.id, d.user_id, d.channel, d.provider, d.destination_hash, d.ciphertext,
      d.masked, d.verified_at is not null as verified
    from (select * from unnest($1::uuid[], $2::uuid[]) t (tenant_id, id)) w
    join notifications.destinations d on d.tenant_id = w.tenant_id and d.user_id = w.id
    where d.disabled_at is null
    order by d.verified_at is null, d.id desc`,
  preferences: `
    select s.tenant_id, s.user_id, s.timezone as set_timezone, p.category, p.channel, p.enabled,
      p.quiet_hours, p.timezone
    from (select * from unnest($1::uuid[], $2::uuid[]) t (tenant_id, user_id)) w
    join notifications.preference_sets s on s.tenant_id = w.tenant_id and s.user_id = w.user_id
    left join notifications.preferences p on p.tenant_id = s.tenant_id and p.user_id = s.user_id`,
  suppressions: `
    select s.tenant_id, s.destination_hash, s.channel, s.category, s.reason, s.effective_at, s.retry_at
    from (select * from unnest($1::uuid[], $2::bytea[]) t (tenant_id, hash)) w
    join notifications.suppressions s on s.tenant_id = w.tenant_id and s.destination_hash = w.hash`,
  insert: `
    with given as (
      select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[],
        $6::text[], $7::bytea[]) t (id, channel, state, error_code, due_at, rule, rendered_sha256)
    ),
    made as (
      insert into notifications.notification_intents as i
        (tenant_id, id, recipient_ref, category, priority, template_version, locale, data_ref,
          scheduled_at, idempotency_key, state, expires_at, principal_id, request_fingerprint,
          closes_digest, metadata, emits, events, traceparent, created_at)
      values ($8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25,
        $26::text, $27)
      on conflict (tenant_id, principal_id, idempotency_key) where idempotency_key is not null
        do nothing
      returning i.id, i.tenant_id, i.recipient_ref, i.category, i.priority, i.template_version,
        i.locale, i.data_ref, i.scheduled_at, i.idempotency_key, i.state, i.expires_at, i.batch_id,
        i.digest_id, i.metadata, i.created_at
    ),
    input as (
      insert into notifications.notification_inputs (tenant_id, ref, owner_id, ciphertext, bytes)
      select m.tenant_id, m.data_ref, $28, $29, $30 from made m
    ),
    attempts as (
      insert into notifications.delivery_attempts
        (tenant_id, id, intent_id, channel, attempt_no, state, error_code, next_attempt_at, lane,
          rendered_sha256)
      select m.tenant_id, a.id, m.id, a.channel, 1, a.state, a.error_code, a.due_at, $31,
        a.rendered_sha256
      from made m cross join given a
    ),
    decided as (
      insert into notifications.decisions (tenant_id, intent_id, channel, rule, outcome, until)
      select m.tenant_id, m.id, a.channel, a.rule,
        case a.state when 'skipped' then 'skip' else 'hold' end,
        case when a.state = 'pending' then a.due_at end
      from made m cross join given a
      where a.rule is not null
    )
    select i.* from made i`,
  record: `
    insert into kernel.idempotency_records (principal_id, operation, key, tenant_id, fingerprint, state,
      status, headers, body, resource_ref, completed_at, expires_at)
    values ($1, $2, $3, $4, $5, 'completed', $6, $7, $8, $9, now(),
      now() + make_interval(hours => $10))`,
} as const

const operation = 'POST /v1/notifications'

process.once('message', (given: BareAccept) => void serve(given))
process.once('SIGTERM', () => {
  process.exit(0)
})

async function serve({ database_url, tenant_id, user_id }: BareAccept): Promise<void> {
  const pool = new pg.Pool({ connectionString: database_url, max: 10, pipeline: true })
  const app = fastify()
  app.post('/*', async (request, reply) => {
    const key = String(request.headers['idempotency-key'])
    const [id, ref, attempt_id] = [newId(), newId(), newId()]
    const client = await pool.connect()
    const ask = (name: keyof typeof texts, values: unknown[]) =>
      client.query({ name, text: texts[name], values })
    try {
      await ask('grants', [tenant_id, user_id, tenant_id, null, null])
      const lock = randomBytes(8).readBigInt64BE().toString()
      await Promise.all([client.query('begin'), ask('look_up', [lock, user_id, operation, key])])
      await ask('template', [tenant_id, 'bench', null, tenant_id, 'bench'])
      await Promise.all([
        ask('person', [[tenant_id], [user_id]]),
        ask('destinations', [[tenant_id], [user_id]]),
        ask('preferences', [[tenant_id], [user_id]]),
      ])
      await ask('suppressions', [[tenant_id], [Buffer.alloc(32)]])
      const now = new Date().toISOString()
      const expires_at = new Date(Date.now() + 259_200_000).toISOString()
      const [hash, sealed] = [Buffer.alloc(32), Buffer.alloc(42)]
      const recipient = `user:${user_id}`
      const category = 'order.updates'
      const trace = '00-01a208f0b3027c5b9cb7c9dfaa3d5124-9cb7c9dfaa3d5124-00'
      const attempt = [[attempt_id], ['email'], ['pending'], [null], [now], [null], [null]]
      const head = [tenant_id, id, recipient, category, 'normal', 'bench@1', null, ref, null, key]
      const tail = ['queued', expires_at, user_id, hash, null, null, true, 0, trace, now]
      const row = [...attempt, ...head, ...tail, user_id, sealed, 14, 2]
      const { rows: intents } = await ask('insert', row)
      const channels = [{ channel: 'email', state: 'pending', reason: null, next_at: expires_at }]
      const body = JSON.stringify({ ...intents[0], status: 'queued', channels })
      const headers = JSON.stringify({ location: `/v1/notifications/${id}` })
      const record = [user_id, operation, key, tenant_id, hash, 202, headers]
      await Promise.all([
        ask('record', [...record, Buffer.from(body), `/v1/notifications/${id}`, 168]),
        client.query('commit'),
      ])
      return await reply.status(202).header('content-type', 'application/json').send(body)
    } finally {
      client.release()
    }
  })
  const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  process.send?.({ port })
}
