/** Jobs of all tenants on the command line, for operators. */
import { isId, Problem, StartError } from '#dodeca/kernel'
import type { Inside as Identity } from '../surfaces/identity/face.ts'
import type { Inside, JobView, OperatorFilter } from '../surfaces/jobs/face.ts'
import type { Call, Command } from './command.ts'
import { actor, onCurrentDatabase, type Offline } from './offline.ts'
import { table } from './terminal.ts'

const shown_max = 1000
const shown_default = 50

const states = [
  'pending',
  'retryable',
  'queued',
  'running',
  'terminal',
  'succeeded',
  'failed',
  'cancelled',
  'expired',
] as const

export const jobsList: Command = {
  words: 'jobs list',
  summary: 'List jobs, newest first',
  options: {
    tenant: { type: 'string', value: '<slug>', says: 'Only of this tenant' },
    state: { type: 'string', value: '<state>', says: `Only in this state: ${states.join(', ')}` },
    type: { type: 'string', value: '<type>', says: 'Only of this type' },
    limit: { type: 'string', value: '<count>', says: `How many; else ${shown_default}` },
  },
  run: async call => {
    const limit = limitOf(call)
    const jobs = await operating(call, async (face, platform) =>
      face.operator.list(await filterOf(call, platform), limit),
    )
    const lines = table(
      ['JOB', 'TYPE', 'STATE', 'ATTEMPTS', 'WAITS FOR', 'ERROR', 'CREATED'],
      jobs.map(job => [
        job.id,
        job.type,
        job.state,
        job.attempt_count,
        job.waiting_reason,
        job.error?.code ?? null,
        job.created_at,
      ]),
    )
    call.terminal.answer({ data: jobs }, lines.length > 0 ? lines : ['No jobs match.'])
  },
}

function limitOf(call: Call): number {
  const given = call.option('limit') ?? String(shown_default)
  const limit = Number(given)
  if (!Number.isInteger(limit) || limit < 1 || limit > shown_max) {
    throw new StartError(`--limit is a whole number from 1 to ${shown_max}.`)
  }
  return limit
}

async function filterOf(call: Call, platform: Offline): Promise<OperatorFilter> {
  const [slug, given, type] = [call.option('tenant'), call.option('state'), call.option('type')]
  const state = states.find(one => one === given)
  if (given !== undefined && !state) throw new StartError(`--state is one of ${states.join(', ')}.`)
  return {
    ...(slug === undefined ? {} : { tenant_id: await tenantId(platform, slug) }),
    ...(state ? { state } : {}),
    ...(type === undefined ? {} : { type }),
  }
}

async function tenantId({ platform }: Offline, slug: string): Promise<string> {
  const identity = platform.opened['identity']?.face as Identity | undefined
  const found = await identity?.administration.tenant(slug)
  if (!found) {
    throw new StartError(`There is no tenant ${slug}. \`npx dodeca tenant list\` lists them.`)
  }
  return found.id
}

export const jobsShow: Command = {
  words: 'jobs show',
  takes: ['<job>'],
  summary: 'Show a job and its history',
  run: async call => {
    const found = await operating(call, face => face.operator.show(jobOf(call)))
    const { job, history } = found
    const lines = table(
      ['AT', 'EVENT', 'DATA'],
      history.map(one => [one.occurred_at, one.type, dataOf(one.data)]),
    )
    call.terminal.answer(found, [...described(job), '', ...lines])
  },
}

function described(job: JobView): string[] {
  const facts: [string, string | number | null][] = [
    ['Job', job.id],
    ['Tenant', job.tenant_id],
    ['Type', `${job.type} (version ${job.schema_version})`],
    ['State', job.state],
    ['Attempts', job.attempt_count],
    ['Waits for', job.waiting_reason],
    ['Next attempt', job.next_attempt_at],
    ['Error', job.error?.code ?? null],
    ['Caused by job', job.error?.cause_job_id ?? null],
    ['Deadline', job.deadline_at],
    ['Cancel asked', job.cancel_requested_at],
    ['Created', job.created_at],
    ['Ended', job.completed_at],
  ]
  return facts.flatMap(([name, value]) =>
    value === null ? [] : [`${`${name}:`.padEnd(16)}${value}`],
  )
}

function dataOf(data: unknown): string {
  return Object.entries(data ?? {})
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ')
}

export const jobsRetry: Command = {
  words: 'jobs retry',
  takes: ['<job>'],
  summary: 'Retry a failed, cancelled or expired job',
  run: async call => {
    const job = await operating(call, face => face.operator.retry(jobOf(call), actor()))
    call.terminal.answer(job, [
      `The job ${job.id} is ${job.status}. A running worker will take it.`,
    ])
  },
}

export const jobsCancel: Command = {
  words: 'jobs cancel',
  takes: ['<job>'],
  options: { reason: { type: 'string', value: '<why>', says: 'Kept in its history' } },
  summary: 'Cancel a job: at once if it waits, otherwise its worker is asked to stop',
  run: async call => {
    const reason = call.option('reason')?.slice(0, 200) ?? null
    const job = await operating(call, face => face.operator.cancel(jobOf(call), actor(), reason))
    call.terminal.answer(job, [
      job.state === 'cancelled'
        ? `The job ${job.id} is cancelled.`
        : `The job ${job.id} is running; its worker was asked to stop.`,
    ])
  },
}

export const jobsTypes: Command = {
  words: 'jobs types',
  summary: 'List the job types',
  run: async call => {
    const types = await operating(call, face => face.operator.types())
    const rows = types.map(one => [
      one.type,
      one.kind,
      one.schema_versions.join(' ') || null,
      one.submittable ? 'yes' : 'no',
      one.paused ? (one.pause_reason ?? 'yes') : null,
    ])
    call.terminal.answer(
      { data: types },
      table(['TYPE', 'KIND', 'VERSIONS', 'OVER HTTP', 'PAUSED'], rows),
    )
  },
}

function jobOf(call: Call): string {
  const id = call.args[0] ?? ''
  if (!isId(id)) throw noJob(id)
  return id
}

function noJob(id: string): StartError {
  return new StartError(`There is no job ${id}. \`npx dodeca jobs list\` lists them.`)
}

async function operating<T>(
  call: Call,
  work: (face: Inside, platform: Offline) => Promise<T>,
): Promise<T> {
  return await onCurrentDatabase(call, async offline => {
    const face = offline.platform.opened['jobs']?.face as Inside | undefined
    if (!face) throw new StartError('This platform has no jobs.')
    try {
      return await work(face, offline)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.code === 'job_not_found') throw noJob(call.args[0] ?? '')
      const { detail, current_state } = error.details
      const state = current_state ? `The job is ${current_state}. ` : ''
      throw new StartError(`${state}${detail ?? `${error.title}.`}`, { cause: error })
    }
  })
}
