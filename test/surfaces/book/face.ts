/** What tests ask of the book beside HTTP. */
export type Face = {
  /** Invariants that hold between any two commits, and how many events are still to be heard. */
  violations(): Promise<readonly string[]>
}
