/** The face for a surface of an application: it submits its own types, and those that are offered. */
import { orderPrint, type Caller } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { problem } from './errors.ts'
import type { Face, Inside } from './face.ts'
import { submitJob } from './jobs/submit-job.ts'

export function faceFor(deps: Deps, { signal, view, cancel }: Inside, caller: Caller): Face {
  return {
    submit: async (tx, order) => {
      const versions = deps.types.builtIns().filter(one => one.type === order.type)
      const own = order.type.startsWith(`${caller.name}.`)
      if (versions.length > 0 && !own && !versions.some(one => one.offered)) {
        throw problem('unknown_job_type')
      }
      return await submitJob(tx, deps, {
        request_fingerprint: orderPrint('submit', order),
        ...order,
      })
    },
    signal,
    view,
    cancel,
  }
}
