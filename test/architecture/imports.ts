/**
 * Which imports are allowed: the kernel imports no surface, surfaces meet only through faces (as
 * types) and events, the sandbox simulates the outside world, and there is no circle.
 */
import { isProduction, isTest, zoneOf } from './zones.ts'
import type { Fault, Import, Module, Tree } from './tree.ts'

/** Packages that have one owner, so that the rest of the house cannot depend on their ways. */
const owners: readonly { packages: RegExp; homes: readonly string[] }[] = [
  { packages: /^pg(-.*)?(\/|$)/, homes: ['src/kernel/database/', 'src/runtime/postgres/'] },
  { packages: /^find-my-way$/, homes: ['src/kernel/http/'] },
  { packages: /^uuidv7$/, homes: ['src/kernel/ids.ts'] },
]

/**
 * The parts of the kernel from the lowest up: each may import those before it, and none after it.
 */
const kernel_order = [
  [
    'ids.ts',
    'bounded-cache.ts',
    'clock.ts',
    'settings.ts',
    'limits.ts',
    'errors',
    'keys.ts',
    'faults.ts',
    'currencies.ts',
    'declarations.ts',
    'faces.ts',
  ],
  ['observability'],
  ['database'],
  ['objects', 'outgoing'],
  ['access'],
  ['idempotency'],
  ['work'],
  ['events'],
  ['http', 'bounded'],
  ['surface.ts'],
  ['resources'],
  ['entry.ts'],
]

export function importFaults({ modules }: Tree): Fault[] {
  return [
    ...modules.flatMap(module =>
      module.imports.flatMap(one => {
        const found = borderFault(module, one) ?? ownerFault(module, one)
        return found ? [{ ...found, path: module.path, line: one.line }] : []
      }),
    ),
    ...modules.flatMap(opaqueImports),
    ...circles(modules),
    ...folderCircles(modules),
    ...faceCircles(modules),
  ]
}

type Verdict = Pick<Fault, 'rule' | 'says'>

function borderFault({ path }: Module, { target, typeOnly }: Import): Verdict | undefined {
  if (!target) return undefined
  const from = zoneOf(path)
  const to = zoneOf(target)
  if (from.kind === 'console' || from.kind === 'client') {
    const says = `${from.kind} uses the public API only, not ${target}`
    return target.startsWith('src/') ? { rule: 'client-border', says } : undefined
  }
  if (!isProduction(path)) return undefined
  if (isTest(target) || /^(scripts|bench|bin)\//.test(target) || isBackwards(path, target)) {
    return { rule: 'production-border', says: `production does not import ${target}` }
  }
  if (from.kind === 'kernel' && (['surface', 'runtime'].includes(to.kind) || isRoot(target))) {
    return { rule: 'kernel-border', says: `the kernel is a library, but imports ${target}` }
  }
  if (from.kind === 'runtime' && (to.kind === 'surface' || isRoot(target))) {
    return { rule: 'runtime-border', says: `the runtime is given a composition, not ${target}` }
  }
  if (from.kind === 'surface' && to.kind === 'runtime') {
    return { rule: 'runtime-border', says: `a surface knows the kernel only, not ${target}` }
  }
  if (from.kind === 'surface' && to.kind === 'kernel' && target !== 'src/kernel/entry.ts') {
    const says = `a surface imports #dodeca/kernel; ${target} is the kernel's own`
    return { rule: 'kernel-entry', says }
  }
  if (levelOf(path) < levelOf(target)) {
    return { rule: 'kernel-order', says: `${target} stands above ${path} in the kernel` }
  }
  const kinds = [from.kind, to.kind]
  if (kinds.includes('sandbox') && (kinds.includes('surface') || kinds[0] === 'kernel')) {
    return { rule: 'sandbox-border', says: `the sandbox is the outside world: ${target}` }
  }
  if (from.kind !== 'surface' || to.kind !== 'surface' || from.name === to.name) return undefined
  if (target === `${to.folder}events.ts`) return undefined
  if (target === `${to.folder}face.ts`) {
    const says = `${target} is imported with \`import type\`; the object comes through needs`
    return typeOnly ? undefined : { rule: 'surface-border', says }
  }
  return { rule: 'surface-border', says: `${to.name} shows its face and its events, not ${target}` }
}

/** The small surfaces stand for production under test; production never meets them. */
function isBackwards(path: string, target: string): boolean {
  return path.startsWith('src/') && target.startsWith('test/')
}

/** The composition and the command, which know everything. */
function isRoot(path: string): boolean {
  return /^src\/([^/]+\.(ts|mjs)$|cli\/)/.test(path)
}

/**
 * The position of a file in the order of the kernel; files outside the kernel are above it all or
 * beside it.
 */
function levelOf(path: string): number {
  const part = /^src\/kernel\/([^/]+)/.exec(path)?.[1]
  if (part === undefined) return Number.NaN
  const level = kernel_order.findIndex(parts => parts.includes(part))
  return level === -1 ? Number.POSITIVE_INFINITY : level
}

function ownerFault({ path }: Module, { specifier }: Import): Verdict | undefined {
  if (!isProduction(path)) return undefined
  const owner = owners.find(({ packages }) => packages.test(specifier))
  if (!owner || owner.homes.some(home => path.startsWith(home))) return undefined
  return { rule: 'package-owner', says: `${specifier} belongs to ${owner.homes.join(' and ')}` }
}

/**
 * An import whose target is computed would pass every rule above unseen. An application's own file is
 * not in the tree.
 */
/** They load modules of an application, which they cannot know. */
const opens_applications = new Set(['src/read-app.ts', 'src/sandbox/main.ts'])

function opaqueImports({ path, nodes, lineOf }: Module): Fault[] {
  if (!isProduction(path) || opens_applications.has(path)) return []
  return nodes
    .filter(({ node }) => node.type === 'ImportExpression' && node.source.type !== 'Literal')
    .map(({ node }) => ({
      rule: 'opaque-import',
      path,
      line: lineOf(node.start),
      says: 'import() takes a literal, so that the rules can read it',
    }))
}

function circles(modules: readonly Module[]): Fault[] {
  const edges = new Map(
    modules.map(({ path, imports }) => [path, imports.flatMap(({ target }) => target ?? [])]),
  )
  return circlesIn(edges).map(circle => ({
    rule: 'circle',
    path: circle[0] ?? '',
    line: 1,
    says: `imports form a circle: ${circle.join(' → ')}`,
  }))
}

/**
 * The files and folders inside a folder import each other in one direction only. Exceptions are the
 * folders of features of a surface, and those of the runtime: a feature may call another one and be
 * called by it (cancelling an order ends its payment), so there the rule is for files only.
 */
function folderCircles(modules: readonly Module[]): Fault[] {
  const folders = new Map<string, Map<string, string[]>>()
  for (const { path, imports } of modules.filter(one => isProduction(one.path))) {
    for (const { target } of imports) {
      const { folder, from, to } = partsOf(path, target ?? path)
      if (from === to || /^(src|src\/runtime|(src|test)\/surfaces(\/[^/]+)?)$/.test(folder))
        continue
      const edges = folders.get(folder) ?? folders.set(folder, new Map()).get(folder)
      edges?.set(from, [...(edges.get(from) ?? []), to])
    }
  }
  return [...folders].flatMap(([folder, edges]) =>
    circlesIn(edges)
      // A circle of files is found above.
      .filter(circle => circle.some(name => !name.includes('.')))
      .map(circle => ({
        rule: 'folder-circle',
        path: folder,
        line: 1,
        says: `its parts form a circle: ${circle.join(' → ')}`,
      })),
  )
}

/** The deepest folder of both paths, and what they are in it: a file or a folder. */
function partsOf(path: string, target: string) {
  const [one, other] = [path.split('/'), target.split('/')]
  const at = one.findIndex((name, index) => name !== other[index])
  return {
    folder: one.slice(0, at).join('/'),
    from: one[at] ?? '',
    to: other[at] ?? '',
  }
}

function faceCircles(modules: readonly Module[]): Fault[] {
  const edges = new Map<string, string[]>()
  for (const { path, imports } of modules.filter(one => isProduction(one.path))) {
    const from = zoneOf(path)
    if (from.kind !== 'surface') continue
    const met = imports.flatMap(({ target = '' }) => {
      const to = zoneOf(target)
      return to.kind === 'surface' && target === `${to.folder}face.ts` ? [to.name] : []
    })
    const others = met.filter(name => name !== from.name)
    edges.set(from.name, [...(edges.get(from.name) ?? []), ...others])
  }
  return circlesIn(edges).map(circle => ({
    rule: 'face-circle',
    path: `src/surfaces/${circle[0]}/face.ts`,
    line: 1,
    says: `faces form a circle; the lower one declares a port instead: ${circle.join(' → ')}`,
  }))
}

/** One circle for each way back to a node that is still being visited. */
function circlesIn(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = []
  const done = new Set<string>()
  const visit = (node: string, trail: readonly string[]): void => {
    const back = trail.indexOf(node)
    if (back >= 0) found.push([...trail.slice(back), node])
    if (back >= 0 || done.has(node)) return
    for (const next of new Set(edges.get(node))) visit(next, [...trail, node])
    done.add(node)
  }
  for (const node of edges.keys()) visit(node, [])
  return found
}
