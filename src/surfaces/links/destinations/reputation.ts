/**
 * The port to an external engine that checks destinations. The engine is called after the commit,
 * never inside a transaction. Its verdict is valid only for the destination that was sent.
 */
export type UrlReputation = {
  readonly name: string
  /** Throws if there was no verdict. The check is then repeated later. */
  ask(url: string, signal: AbortSignal): Promise<'clean' | 'malicious'>
  close(): Promise<void>
}
