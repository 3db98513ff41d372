/** The product with more job types, as if its surface of jobs had declared them. */
import type { JobType, Kernel, Opened } from '#dodeca/kernel'
import { composition } from '../src/platform.ts'
import type { Composition } from '../src/runtime/platform-parts.ts'

export function withJobTypes(
  more: (opened: Readonly<Record<string, Opened>>, kernel: Kernel) => readonly JobType[],
): Composition {
  return {
    ...composition,
    open: kernelFor => {
      const all = composition.open(kernelFor)
      const { jobs } = all.opened
      if (!jobs) throw new Error('jobs is off')
      const jobTypes = [...(jobs.jobTypes ?? []), ...more(all.opened, kernelFor({ settings: {} }))]
      return { ...all, opened: { ...all.opened, jobs: { ...jobs, jobTypes } } }
    },
  }
}
