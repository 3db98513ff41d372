/**
 * The limit: the platform's own statements of a claim and of the ends of what it took, in the same
 * packets, sent by pgbench. They are made from the functions that send them, so they cannot fall behind.
 */
import { openOutbox } from '../../../src/kernel/events/log/outbox.ts'
import type { BufferedEvent } from '../../../src/kernel/database/drafts.ts'
import { newId, type Sql } from '#dodeca/kernel'
import { compile } from '../../../src/kernel/database/sql.ts'
import { events } from '../../../src/surfaces/jobs/events.ts'
import {
  claimFrom,
  lockLanes,
  type LaneQuota,
} from '../../../src/surfaces/jobs/attempts/claims/claim-statement.ts'
import { openLaneCursor } from '../../../src/surfaces/jobs/attempts/claims/lane-cursor.ts'
import { shownStatement } from '../../../src/surfaces/jobs/attempts/ends/hold-attempts.ts'
import { writeEnds, type Ended } from '../../../src/surfaces/jobs/attempts/ends/write-ends.ts'

const limit_tenant = '018f0000-0000-7000-8000-000000000000'

const hash = Buffer.alloc(32, 7)

const rules = {
  type: 'bench.nothing',
  schema_version: 1,
  lease_seconds: 30,
  timeout_seconds: 600,
  backoff: { base_ms: 1, cap_ms: 1 },
  tenant_max_running: null,
}

/** One claim of so many jobs and their success. */
export function claimAndFinish(batch: number): string {
  const each = <T>(value: T): T[] => Array.from({ length: batch }, () => value)
  // A value that the script computes is inserted here, once for each row of the batch.
  const computed = new Map([
    ['@new', `(select array_agg(uuidv7()) from generate_series(1, ${batch}))`],
    ['@attempts', ':attempts'],
    ['@jobs', ':jobs'],
    ['@new_one', 'uuidv7()'],
    ['@job', '(:jobs::uuid[])[1]'],
  ])
  const inlined = (statement: Sql) => inline(statement, computed)
  const { stretches } = openLaneCursor().next(0)
  const lanes: LaneQuota[] = [{ rules, tenant_id: limit_tenant, quota: batch, stretches }]
  const claim = claimFrom(lanes, {
    worker_id: newId(),
    claim_id: null,
    attempt_ids: each('@new'),
    token_hashes: each(hash),
    grace_seconds: 30,
  })
  const shown = each({ attempt_id: '@attempts', token_hash: hash, version: 2 })
  return `
\\startpipeline
begin;
${inlined(lockLanes(lanes))};
\\endpipeline
${gathered(inlined(claim))} \\gset
commit;
\\startpipeline
begin;
${inlined(shownStatement(shown))};
\\endpipeline
\\startpipeline
${inlined(writeEnds(each(null).map(succeeded)))};
${outbox(batch).map(inlined).join(';\n')};
commit;
\\endpipeline
`
}

/** The claim returns one row here, because a script can keep only one. */
function gathered(claim: string): string {
  const rows = claim.slice(0, claim.lastIndexOf('select a.id as attempt_id'))
  return `${rows} select array_agg(a.id)::text as attempts, array_agg(s.id)::text as jobs,
    count((select i.parameters::text from jobs.job_inputs i
      where i.job_id = s.id and i.tenant_id = s.tenant_id)) as inputs
    from started s join attempt a on a.job_id = s.id`
}

function succeeded(): Ended {
  const time = '2026-01-01T00:00:00.000Z'
  return {
    held: {
      attempt_id: '@attempts',
      attempt_no: 1,
      started_at: time,
      job_id: '@jobs',
      tenant_id: limit_tenant,
      type: rules.type,
      schema_version: 1,
      rank: 5,
      version: 2,
      last_sequence: 2,
      attempt_count: 1,
      max_attempts: 5,
      failures: 0,
      losses: 0,
      cancel_requested: false,
      has_dependents: false,
      deadline_at: null,
      created_at: time,
      traceparent: null,
      now: time,
    },
    decision: {
      attempt: 'succeeded',
      job: 'succeeded',
      error: null,
      wait_ms: 0,
      failures: 0,
      losses: 0,
    },
    result: null,
  }
}

/** The events of a batch differ, so that as much is sent of each as by the platform. */
function outbox(batch: number): Sql[] {
  const time = '2026-01-01T00:00:00.000Z'
  const write = openOutbox(new Map(Object.entries(events)))
  // One event is sent as values, and several as lists, of which the first value stands for all.
  const first = batch === 1 ? { id: '@new_one', job: '@job' } : { id: '@new', job: '@jobs' }
  const eventOf = (_: unknown, at: number): BufferedEvent => ({
    id: first.id,
    type: 'job.succeeded',
    tenant_id: limit_tenant,
    aggregate_type: 'job',
    aggregate_id: at === 0 ? first.job : String(at),
    aggregate_version: 3,
    data: {
      job_id: `018f0000-0000-7000-8000-${String(at).padStart(12, '0')}`,
      type: rules.type,
      schema_version: 1,
      state: 'succeeded',
      error_code: null,
      attempt_count: 1,
      has_result: false,
      created_at: time,
      started_at: time,
      completed_at: time,
    },
  })
  return write(Array.from({ length: batch }, eventOf), [])
}

/** A statement with its parameters written into it; `computed` has what the script computes in their place. */
export function inline(statement: Sql, computed: ReadonlyMap<string, string>): string {
  const { text, values } = compile(statement)
  const known = text.replaceAll(/\$(\d+)/g, (_, n: string) =>
    literal(values[Number(n) - 1], computed),
  )
  return known.replaceAll(/--.*$/gm, '')
}

function literal(value: unknown, computed: ReadonlyMap<string, string>): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) {
    if (value.length === 0) return 'array[]'
    const whole = computed.get(value[0] as string)
    return whole ?? `array[${value.map(one => literal(one, computed)).join(', ')}]`
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`
  if (typeof value !== 'string') throw new Error('this parameter has no form in a script')
  const own = computed.get(value)
  if (own !== undefined) return own
  // In pgbench, a colon before a letter or digit begins a variable, also in a text.
  const text = value.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll(':', '\\003a')
  return `U&'${text}'`
}
