/** The messages between the platform and the processes that read documents of users. */
import type { Chunk, ChunkOptions } from '../chunking/chunking.ts'
import type { Canonical } from './canonical.ts'
import type { ExtractFailure, ExtractLimits } from './extract.ts'

export type ExtractTask = {
  readonly task: 'extract'
  readonly bytes: Uint8Array
  readonly detected_type: string
  readonly limits: ExtractLimits
}

export type ChunkTask = {
  readonly task: 'chunk'
  readonly canonical: Canonical
  readonly options: ChunkOptions
}

export type Task = ExtractTask | ChunkTask
export type TaskReply =
  | { readonly canonical: Canonical }
  | { readonly chunks: readonly Chunk[] }
  | { readonly failed: ExtractFailure; readonly reason: string }
