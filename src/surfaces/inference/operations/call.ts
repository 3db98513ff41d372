/** A call as this process runs it: all data to make, settle and show it. */
import type { Candidate } from '../models/known-models.ts'
import type { PromptVersion } from '../prompts/prompts.ts'
import type { Decided } from '../safety/policy.ts'
import type { Effort, Item } from '../providers/form.ts'
import type { Performable, Step } from '../tools/steps.ts'
import type { Content } from './contents.ts'

export type Workload =
  | 'generation'
  | 'generation_stream'
  | 'inference'
  | 'inference_job'
  | 'report'
  | 'retrieval_answer'
  | 'retrieval_embedding'
  | 'embedding'

/** The numbers and names of a call. Its texts are sealed in its content. */
export type Parameters = {
  readonly max_output_tokens: number
  readonly temperature?: number
  readonly top_p?: number
  readonly stop?: readonly string[]
  readonly seed?: number
  readonly reasoning_effort?: Effort
  readonly parallel_tool_calls?: boolean
  readonly prompt_cache_key?: string
  /** Whether a stream of chat completions ends with its usage. */
  readonly include_usage?: boolean
  readonly fallback?: 'allow' | 'deny'
  /** How often the model may answer, where the platform performs what it calls. */
  readonly max_steps?: number
  /** No further step is begun that could cost more, in the currency of the prices. */
  readonly max_cost?: string
  readonly keyed?: boolean
  /** The time of one run, also of a retry. Missing for embeddings, which are not tried again. */
  readonly deadline_ms?: number
}

export type Call = {
  readonly tenant_id: string
  readonly id: string
  readonly actor_id: string
  /** The requested alias or id. */
  readonly model: string
  readonly workload: Workload
  readonly class: 'call' | 'stream' | 'job'
  readonly prompt: PromptVersion
  readonly content: Content
  /** The call that this one continues. */
  readonly previous_id: string | null
  /** The conversation of the calls before this one. */
  readonly before: readonly Item[]
  readonly parameters: Parameters
  readonly store: boolean
  readonly metadata: Readonly<Record<string, string>> | null
  /** Once it is created: those of the request and those of its principal. */
  readonly tags: readonly string[]
  readonly job_id: string | null
  estimated_input: number
  readonly candidates: readonly [Candidate, ...Candidate[]]
  /** Its provider key is the operation's id. Every further deployment gets a key of its own. */
  readonly first_deployment_id: string
  readonly deadline_at: string
  readonly created_at: string
  /** The decisions of the policy about the input. */
  readonly decided: readonly Decided[]
  /** Calls of tools that the caller has answered with this call. */
  readonly answered: readonly Performable[]
  /** The answers of the model that called operations, with their results. */
  readonly steps: Step[]
  /** Its reservation is that of no model: what the model called is being performed. */
  in_tools: boolean
  /** Changes with each execution. */
  run: number
  deployment: Candidate
  /** The number of committed attempts, over all runs. */
  attempts: number
}

export const isBlocked = ({ decided }: Pick<Call, 'decided'>) =>
  decided.some(one => one.decision === 'block')
