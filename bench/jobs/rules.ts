/**
 * Jobs that a rule makes of events, beside a consumer in code that submits the same jobs. The events
 * are in the log before either starts, and no job runs: their time has not come.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rfc3339, type Consumer } from '#dodeca/kernel'
import { composition } from '../../src/platform.ts'
import type { Composition } from '../../src/runtime/platform-parts.ts'
import { start } from '../../src/runtime/start.ts'
import { loadConfig } from '../../src/settings.ts'
import type { Face } from '../../src/surfaces/jobs/face.ts'
import type { Bench } from '../ground/comparison.ts'
import { ask } from '../ground/database.ts'
import { startOperated, type Operated } from '../ground/operated.ts'
import { productionEnvironment } from '../ground/platform.ts'
import { figure, type Section } from '../ground/report.ts'
import { median } from '../ground/rounds.ts'

const type = 'deal.won'
const events_count = 5000
const day_seconds = 86_400
const job = {
  type: 'kernel.publish',
  parameters: { events: [{ type, data: { deal_id: 'the same for all' } }] },
}

export async function rules({ database, options }: Bench): Promise<readonly Section[]> {
  const rates = { rule: [] as number[], hand: [] as number[] }
  for (let round = 1; round <= options.rounds; round++) {
    const ground = await prepare(await startOperated(database, `jobs_rules_${round}`))
    rates.rule.push(await byRule(ground))
    rates.hand.push(await byHand(ground))
  }
  const [rule, hand] = [median(rates.rule), median(rates.hand)]
  return [
    {
      title: 'Jobs of a rule',
      columns: ['', 'events per second'],
      rows: [
        ['a rule', figure(rule)],
        ['a consumer in code', figure(hand)],
      ],
      verdicts: [
        {
          says: 'a rule / a consumer in code',
          reached: rule / hand,
          target: 0.8,
          unit: '',
          wanted: 'at least',
        },
      ],
      notes: [
        'The rule asks for the rights of its owner, compares one condition and fills in its parameters; it submits the jobs of a batch together. The consumer submits one job an event.',
      ],
    },
  ]
}

/** The events are in the log and every consumer has passed them. The rule is paused. */
async function prepare(operated: Operated): Promise<Operated> {
  const { call, database_url, tenant_id } = operated
  const schema = { type: 'object' }
  const declared = await call('PUT', `/v1/event-types/${type}`, { description: 'Won.', schema })
  const made = await call('PUT', '/v1/job-rules/bench', {
    event: type,
    where: [{ at: '/data/amount_minor', is: 'gte', value: 1 }],
    job: { ...job, delay_seconds: day_seconds },
    paused: true,
  })
  for (const { status, body } of [declared, made]) {
    if (status !== 201) throw new Error(JSON.stringify(body))
  }
  await ask(
    database_url,
    `insert into kernel.outbox_events (id, tenant_id, type, schema_version, aggregate_type,
       aggregate_id, aggregate_version, payload)
     select uuidv7(), $1, '${type}', 1, 'deal', uuidv7(), 1, '{"amount_minor": 5}'
     from generate_series(1, ${events_count})`,
    [tenant_id],
  )
  await reached(
    database_url,
    `select (not exists (select from kernel.outbox_events)
    and (select max(position) from kernel.events) <=
      (select min(position) from kernel.event_consumers where consumer = 'jobs.reactions'))::int`,
    1,
  )
  await operated.stop()
  return operated
}

async function byRule({ database_url }: Operated): Promise<number> {
  await ask(database_url, `update jobs.job_rules set state = 'active', from_position = 0`)
  await ask(
    database_url,
    `update kernel.event_consumers set position = 0 where consumer = 'jobs.reactions'`,
  )
  const rate = await rateOf(database_url, composition, 'rule')
  await ask(database_url, `update jobs.job_rules set state = 'paused'`)
  return rate
}

function byHand({ database_url, account_id }: Operated): Promise<number> {
  const composed: Composition = {
    ...composition,
    open: kernelFor => {
      const all = composition.open(kernelFor)
      const { jobs } = all.opened
      if (!jobs) throw new Error('jobs is off')
      const consumers = [...(jobs.consumers ?? []), consumer(jobs.face as Face, account_id)]
      return { ...all, opened: { ...all.opened, jobs: { ...jobs, consumers } } }
    },
  }
  return rateOf(database_url, composed, 'hand')
}

function consumer(jobs: Face, principal_id: string): Consumer {
  return {
    name: 'bench.hand',
    events: [type],
    run: async (tx, { tenant_id, id }) => {
      await jobs.submit(tx, {
        ...job,
        tenant_id,
        principal_id,
        operation: 'hand',
        idempotency_key: `hand:${id}`,
        scheduled_at: rfc3339(Date.now() + day_seconds * 1000),
      })
    },
  }
}

/** Events a second, from the first job to the last one. */
async function rateOf(
  database_url: string,
  composed: Composition,
  operation: string,
): Promise<number> {
  const data_dir = await mkdtemp(join(tmpdir(), 'dodeca-bench-'))
  const environment = {
    ...productionEnvironment(database_url),
    PUBLIC_URL: 'http://dodeca.test',
    ROLES: 'worker',
    DATA_DIR: data_dir,
    IDENTITY_ADMIN_REQUIRES_MFA: 'false',
    JOBS_RULE_RUNS_PER_HOUR: String(10 * events_count),
  }
  const running = await start(loadConfig({}, environment), () => {}, composed)
  await reached(
    database_url,
    `select count(*)::int from jobs.jobs where operation = '${operation}'`,
    events_count,
  )
  await running.stop()
  const [took] = await ask(
    database_url,
    `select extract(epoch from max(created_at) - min(created_at))::float8 as seconds
     from jobs.jobs where operation = '${operation}'`,
  )
  await rm(data_dir, { recursive: true, force: true })
  return events_count / Number(took?.['seconds'])
}

async function reached(database_url: string, statement: string, wanted: number): Promise<void> {
  for (;;) {
    const [row] = await ask(database_url, statement)
    if (Number(Object.values(row ?? {})[0]) >= wanted) return
    await wait(20)
  }
}
