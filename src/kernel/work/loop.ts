/** Work that repeats in a process of the platform: sweeps, promoters, reconcilers. */
export type Loop = {
  readonly name: string
  readonly every_ms: number
  run(signal: AbortSignal): Promise<void>
}
