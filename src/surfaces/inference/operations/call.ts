/** A call as this process runs it: everything that is needed to make, settle and show it. */
import type { Candidate } from '../models/known-models.ts'
import type { PromptVersion } from '../prompts/prompts.ts'
import type { Decided } from '../safety/policy.ts'
import type { Content } from './contents.ts'

export type Workload =
  | 'generation'
  | 'generation_stream'
  | 'inference'
  | 'inference_job'
  | 'report'
  | 'retrieval_answer'
  | 'retrieval_embedding'

/** Numbers and words of a call; texts are sealed in its content. */
export type Parameters = {
  readonly max_output_tokens: number
  readonly temperature?: number
  readonly top_p?: number
  readonly fallback?: 'allow' | 'deny'
  readonly keyed?: boolean
}

export type Call = {
  readonly tenant_id: string
  readonly id: string
  readonly actor_id: string
  /** The alias or id that was asked for. */
  readonly model: string
  readonly workload: Workload
  readonly class: 'call' | 'stream' | 'job'
  readonly prompt: PromptVersion
  readonly content: Content
  readonly parameters: Parameters
  readonly store: boolean
  readonly metadata: Readonly<Record<string, string>> | null
  readonly job_id: string | null
  readonly estimated_input: number
  readonly candidates: readonly [Candidate, ...Candidate[]]
  /** Its provider key is the operation's id; every other deployment gets one of its own. */
  readonly first_deployment_id: string
  readonly deadline_at: string
  readonly created_at: string
  /** What the policy decided of the input. */
  readonly decided: readonly Decided[]
  /** Changes when an execution is followed by another. */
  run: number
  deployment: Candidate
  /** Attempts that were committed, over all runs. */
  attempts: number
}

export const isBlocked = ({ decided }: Pick<Call, 'decided'>) =>
  decided.some(one => one.decision === 'block')
