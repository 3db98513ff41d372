/**
 * Limits how many jobs of a tenant may wait, and how many of them may be workflows, which wait for
 * weeks. Counting a hundred thousand rows at each submission
 * would cost more than the submission. So a count is cached for a hundred times as long as it took.
 * Jobs that this process added since are added to it. Near the limit it is always counted again.
 */
import { Type } from 'typebox'
import { sql, type Reader, type Sql } from '#dodeca/kernel'
import { problem } from '../errors.ts'

export type WaitingQuota = {
  /** Refuses the submission if too many jobs would wait. */
  require(reader: Reader, tenant_id: string, jobs: number, runs?: number): Promise<void>
}

type Limits = { readonly jobs: number; readonly runs: number }

type Known = { waiting: number; until_ms: number }

const Count = Type.Object({ waiting: Type.Integer() })
const longest_ms = 1000
const rest_factor = 100
const known_max = 10_000

export function openWaitingQuota(limits: Limits, workflows: () => string[]): WaitingQuota {
  const jobs = openCount(limits.jobs, 'jobs waiting', () => sql`true`)
  const runs = openCount(limits.runs, 'workflows waiting', () => sql`q.type = any (${workflows()})`)
  return {
    require: async (reader, tenant_id, more, more_runs = 0) => {
      await jobs(reader, tenant_id, more)
      if (more_runs > 0) await runs(reader, tenant_id, more_runs)
    },
  }
}

function openCount(limit: number, noun: string, where: () => Sql) {
  const known = new Map<string, Known>()
  return async (reader: Reader, tenant_id: string, jobs: number): Promise<void> => {
    const last = known.get(tenant_id)
    if (last && performance.now() < last.until_ms && last.waiting + jobs <= limit) {
      last.waiting += jobs
      return
    }
    const began_ms = performance.now()
    const { waiting } = await reader.one(
      Count,
      sql`
        select count(*)::int as waiting from (
          select from jobs.job_queue q
          where q.tenant_id = ${tenant_id} and ${where()} limit ${limit + 1}
        ) q`,
    )
    const now_ms = performance.now()
    known.delete(tenant_id)
    if (known.size >= known_max) for (const oldest of known.keys()) if (known.delete(oldest)) break
    if (waiting + jobs > limit) {
      throw problem('quota_exceeded', { detail: `The tenant has ${waiting} ${noun}.` })
    }
    const until_ms = now_ms + Math.min(longest_ms, rest_factor * (now_ms - began_ms))
    known.set(tenant_id, { waiting: waiting + jobs, until_ms })
  }
}
