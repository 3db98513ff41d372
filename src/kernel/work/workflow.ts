/**
 * A workflow: a job whose body is a function of steps. Each step is stored, so after a crash, a wait
 * or a deployment the body runs again from its beginning and finds the results of the steps that are
 * over. The body awaits only steps, and does everything else inside of them.
 */
import type { Static, TSchema } from 'typebox'
import type { FacesOf } from '../faces.ts'
import type { JobType } from './job-type.ts'
import { runWorkflow } from './run-workflow.ts'
import type { RunFacts, RunKernel, Step } from './workflow-step.ts'

type Spec<I extends TSchema, R extends TSchema, Needs> = {
  readonly input: I
  readonly result?: R
  /** What a submitter needs to see, cancel and fetch the run. */
  readonly permission?: string
  /** Asks at each attempt whether the principal of the run still has the permission. */
  readonly checked?: boolean
  /** A JSON pointer into the input: the account whom the run is about. Its erasure ends the run. */
  readonly person?: string
  /** The surfaces that its steps call, as in `needs` of a surface. */
  readonly needs?: Needs
} & Pick<JobType, 'offered' | 'lease_seconds' | 'max_attempts' | 'tenant_max_running'>

type Named = Readonly<Record<string, string>>

export type Workflow<
  I extends TSchema = TSchema,
  R extends TSchema = TSchema,
  Needs extends Named = Named,
> = Pick<JobType, 'type' | 'schema_version'> & {
  readonly spec: Spec<I, R, Needs>
  readonly needs: Named
  /** The job type, with the kernel and the faces of the surface that lists it. */
  jobType(deps: { readonly kernel: RunKernel; readonly needs: FacesOf<Needs> }): JobType
}

/** An attempt ends well before its time: a long body goes on in the next one. */
const timeout_seconds = 900

export function workflow<
  I extends TSchema,
  R extends TSchema = TSchema,
  const Needs extends Named = Record<never, never>,
>(
  type: string,
  version: number,
  spec: Spec<I, R, Needs>,
  body: (step: Step, input: Static<I>, run: RunFacts<FacesOf<Needs>>) => Promise<unknown>,
): Workflow<I, R, Needs> {
  const { input, result, checked = false, person, needs, ...rest } = spec
  return {
    type,
    schema_version: version,
    spec,
    needs: needs ?? {},
    jobType: deps => ({
      ...rest,
      type,
      schema_version: version,
      parameters: input,
      ...(result && { result }),
      ...(!checked && { outlives_owner: true as const }),
      timeout_seconds,
      workflow: { checked, ...(person !== undefined && { person }) },
      run: job => {
        const { id, tenant_id, principal_id, session_id } = job
        const run = { id, tenant_id, principal_id, session_id, ...deps }
        return runWorkflow(job, step => body(step, job.parameters as Static<I>, run))
      },
    }),
  }
}
