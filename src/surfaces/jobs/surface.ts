/** The jobs surface as the kernel sees it. This file opens the parts once and connects them. */
import { sql, type Surface } from '#dodeca/kernel'
import { settings } from './settings.ts'
import { demoCount } from './types/demo-count.ts'
import { seedJobs } from './seed.ts'
import { settleDependents } from './dependencies/settle-dependents.ts'
import type { Deps } from './deps.ts'
import { runner_topic } from './topics.ts'
import type { Rights, Inside, FileLookup } from './face.ts'
import { faceFor } from './face-for.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import { cancelJob } from './jobs/cancel-job.ts'
import { submitJob } from './jobs/submit-job.ts'
import { openWaitingQuota } from './jobs/waiting-quota.ts'
import { viewJob } from './jobs/view-job.ts'
import { openOperator } from './operators/open-operator.ts'
import { permissions } from './permissions.ts'
import { personalJobs } from './personal.ts'
import { reactions } from './reactions/reactions.ts'
import { waits } from './reactions/waits.ts'
import { reference } from './reference.ts'
import { resultSweep } from './results/sweep-results.ts'
import { routes } from './routes.ts'
import type { EndListeners } from './attempts/ends/announce-ends.ts'
import { openEngine, type EngineDeps } from './attempts/engine.ts'
import { jobRetention } from './attempts/retention.ts'
import { checkJobs } from './checks.ts'
import { deletedScheduleRetention } from './schedules/delete-schedule.ts'
import { deletedRuleRetention } from './rules/delete-rule.ts'
import { rules } from './rules/react-to-events.ts'
import { scheduleLoop } from './schedules/run-schedules.ts'
import { openJobTypes, type JobTypes } from './types/job-types.ts'
import { closeFence, endPauses, passFence } from './types/pause-type.ts'
import { endRun } from './steps/end-run.ts'
import { sendSignal } from './steps/send-signal.ts'
import { signalJob } from './steps/signal-job.ts'
import { openStepLog } from './steps/step-log.ts'
import { openJobWatcher } from './streams/job-watcher.ts'
import { tenancy } from './tenancy.ts'

export type Needs = {
  readonly rights: Rights
}

export const jobs: Surface<Inside, Needs, typeof settings> = {
  name: 'jobs',
  settings,
  migrations: new URL('./migrations/', import.meta.url),
  tenancy,
  permissions,
  errors,
  events,
  reference,
  needs: { rights: 'identity' },
  open: (kernel, { rights }) => {
    const types = openJobTypes(kernel)
    const listeners = openEndListeners(types)
    const openSteps: EngineDeps['openSteps'] = (lease, ended) => openStepLog(deps, lease, ended)
    let files: FileLookup | null = null
    const engine = openEngine({ kernel, listeners, rights, openSteps, ...types })
    const deps: Deps = {
      kernel,
      types,
      listeners,
      rights,
      engine,
      quota: openWaitingQuota(
        {
          jobs: kernel.settings['jobs.tenant_waiting'],
          runs: kernel.settings['jobs.open_runs_per_tenant'],
        },
        () => types.builtIns().flatMap(one => (one.workflow ? [one.type] : [])),
      ),
      files: () => files,
    }
    const watcher = openJobWatcher(kernel)
    const face: Inside = {
      activities: names => types.activities(names),
      plugFiles: given => {
        files = given
      },
      submit: (tx, order) => submitJob(tx, deps, order),
      view: (reader, key) => viewJob(reader, deps, key),
      signal: (tx, order) => sendSignal(tx, deps, order),
      cancel: (tx, key, reason) => cancelJob(tx, deps, key, reason ?? null),
      pauseFence: passFence,
      closeFence,
      operator: openOperator(deps),
    }
    return {
      connect: () => types.offer(kernel.declared.jobTypes()),
      face,
      faceFor: caller => faceFor(deps, face, caller),
      routes: routes(deps, watcher),
      loops: [
        ...engine.loops,
        {
          name: 'jobs.pauses',
          every_ms: 60_000,
          due: sql`
            -- any tenant: types belong to the platform
            select exists (select from jobs.job_types where paused_until <= kernel.now())`,
          run: () => endPauses(deps),
        },
        scheduleLoop(deps),
        resultSweep(kernel),
      ],
      consumers: [reactions([waits(kernel.declared), rules(deps)])],
      retention: [...jobRetention(kernel), deletedScheduleRetention, deletedRuleRetention],
      personal: personalJobs(deps),
      checks: [checkJobs(kernel.db)],
      jobTypes: [signalJob(deps), ...(kernel.profile === 'development' ? [demoCount] : [])],
      seed: tenants => seedJobs(deps, tenants),
      close: () => Promise.resolve(watcher.close()),
    }
  },
}

/**
 * The work that depends on the end of jobs: the owning surface's own record, and the jobs that
 * waited.
 */
function openEndListeners(types: JobTypes): EndListeners {
  const listeners: EndListeners = {
    ended: job => {
      const type = types.builtIn(job)
      if (!type?.workflow && !type?.ended) return undefined
      return async (tx, ended) => {
        if (type.workflow) await endRun(tx, { listeners }, ended)
        await type.ended?.(tx, ended)
      }
    },
    settleDependents: async (tx, ended) => {
      if (await settleDependents(listeners, tx, ended)) tx.wake(runner_topic)
    },
  }
  return listeners
}
