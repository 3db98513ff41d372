type Bundle = {
  readonly root?: string
  readonly kind?: 'product' | 'test'
  /** The version of the Node that runs the programs. */
  readonly version?: string
  readonly say?: (line: string) => void
}
export function bundled(entry: string, bundle?: Bundle): string | undefined
export function ensureBundle(bundle?: Bundle): Promise<void>
export function joinSources(
  root: string,
  kind: 'package' | 'product',
  outdir: string,
  up?: string,
): Promise<unknown>
