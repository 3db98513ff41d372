/** The messages between the platform and the processes that open index tables. */
import type { IndexFailed, RetrievalIndex } from '../index.ts'

export type Storage = {
  /** A local folder, or `s3://bucket/prefix`. */
  readonly uri: string
  /** Access to an S3 store, as LanceDB names its options. */
  readonly options: Readonly<Record<string, string>>
}

export type Method = Exclude<keyof RetrievalIndex, 'close'>

export type Call = {
  readonly id: number
  readonly method: Method
  readonly parameters: readonly unknown[]
  /** For a writer: its process ends before this lease does, even if a call is running. */
  readonly until_ms?: number
}

/** The lease of a running call was extended. */
export type Extension = { readonly extended: number; readonly until_ms: number }

export type CallReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failed: IndexFailed['code']; readonly reason: string }
