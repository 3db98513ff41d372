/**
 * The port through which an engine outside is asked about destinations. It is asked after the commit,
 * never inside a transaction, and its answer counts only for the destination that it was asked about.
 */
export type UrlReputation = {
  readonly name: string
  /** Throws where no answer could be had; the question is then asked again later. */
  ask(url: string, signal: AbortSignal): Promise<'clean' | 'malicious'>
  close(): Promise<void>
}
