/** Waits for jobs to end. */
import { pause } from './pause.ts'
import type { components } from './schema.d.ts'

export type Job = components['schemas']['Job']
type Ended = Job & { readonly status: Exclude<Job['status'], 'queued' | 'running'> }
type ReadJob = (job_id: string, signal: AbortSignal | undefined) => Promise<Job>

export type Jobs = {
  /**
   * Returns the job after it has ended. `status` contains the outcome. Abort the signal to stop
   * waiting.
   */
  waitFor(job_id: string, options?: { readonly signal?: AbortSignal }): Promise<Ended>
}

const pause_ms = { first: 100, longest: 2000 } as const

export function jobsOf(read: ReadJob): Jobs {
  return {
    waitFor: async (job_id, { signal } = {}) => {
      for (let wait: number = pause_ms.first; ; wait = Math.min(wait * 1.5, pause_ms.longest)) {
        const job = await read(job_id, signal)
        if (hasEnded(job)) return job
        await pause(wait, signal)
      }
    },
  }
}

function hasEnded(job: Job): job is Ended {
  return job.status !== 'queued' && job.status !== 'running'
}
