/** What the platform asks the processes that hold index tables, and what they answer. */
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
  /** Of a writer: its process ends before this lease does, whatever it does then. */
  readonly until_ms?: number
}

export type CallReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failed: IndexFailed['code']; readonly reason: string }
