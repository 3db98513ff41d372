/**
 * Which part of the house a path belongs to. The small surfaces under test/surfaces are surfaces like
 * those under src/surfaces; whatever lies in a folder called `test`, or in the testing kit, is a test and not production.
 */
export type Zone =
  | {
      readonly kind:
        'kernel' | 'runtime' | 'sandbox' | 'root' | 'console' | 'client' | 'test' | 'tool'
    }
  | { readonly kind: 'surface'; readonly name: string; readonly folder: string }

export function zoneOf(path: string): Zone {
  const surface = /^(?:src|test)\/surfaces\/([^/]+)\//.exec(path)
  if (surface?.[1]) return { kind: 'surface', name: surface[1], folder: surface[0] }
  if (path.startsWith('src/kernel/')) return { kind: 'kernel' }
  if (path.startsWith('src/runtime/')) return { kind: 'runtime' }
  if (path.startsWith('src/sandbox/')) return { kind: 'sandbox' }
  if (path.startsWith('src/testing/')) return { kind: 'test' }
  if (path.startsWith('src/')) return { kind: 'root' }
  if (path.startsWith('console/')) return { kind: 'console' }
  if (path.startsWith('client/')) return { kind: 'client' }
  return path.startsWith('test/') ? { kind: 'test' } : { kind: 'tool' }
}

export function isTest(path: string): boolean {
  return /(^|\/)test\/|^src\/testing\//.test(path.replace(/^test\/surfaces\//, ''))
}

/** Looks for the bundle before anything of the platform is loaded, like `bin`. */
const launcher = 'src/main.mjs'

/** What runs in the platform's processes (or, under test/surfaces, stands for it). */
export function isProduction(path: string): boolean {
  return /^(src|test\/surfaces)\//.test(path) && !isTest(path) && path !== launcher
}
