/**
 * The source tree as the architecture rules see it: every file with its text, and every program file
 * parsed once into its imports, its nodes and its comments. Generated files are not looked at.
 */
import { glob, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { parseSync, visitorKeys, type Comment, type Node } from 'oxc-parser'

export type Source = { readonly path: string; readonly text: string }

export type Import = {
  readonly specifier: string
  /** The path inside the tree, for a relative specifier or an entry. */
  readonly target: string | undefined
  /** Gone when types are stripped; `import { type A }` is not, it still loads the file. */
  readonly typeOnly: boolean
  readonly line: number
}

export type Visited = { readonly node: Node; readonly parent: Node | undefined }

export type Module = Source & {
  readonly imports: readonly Import[]
  readonly nodes: readonly Visited[]
  readonly comments: readonly Comment[]
  lineOf(offset: number): number
}

export type Tree = { readonly files: readonly Source[]; readonly modules: readonly Module[] }

export type Fault = {
  readonly rule: string
  readonly path: string
  readonly line: number
  readonly says: string
}

const places = '{src,test,scripts,bench,bin,console,client}/**/*.{ts,tsx,mjs,js,sql,md}'
/** The `imports` of package.json. */
const entries: Readonly<Record<string, string>> = { '#dodeca/kernel': 'src/kernel/entry.ts' }
const ignored = new Set(['node_modules', 'dist', 'data'])

export async function readTree(root: string): Promise<Tree> {
  const files: Source[] = []
  for await (const found of glob(places, { cwd: root, exclude: path => ignored.has(last(path)) })) {
    const path = found.replaceAll('\\', '/')
    if (!path.endsWith('.d.ts'))
      files.push({ path, text: await readFile(join(root, found), 'utf8') })
  }
  return treeOf(files)
}

export function treeOf(files: readonly Source[]): Tree {
  const programs = files.filter(file => /\.(ts|tsx|mjs|js)$/.test(file.path))
  return { files, modules: programs.map(parse) }
}

function last(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}

function parse({ path, text }: Source): Module {
  const { program, comments, errors } = parseSync(path, text)
  if (errors[0]) throw new Error(`${path} cannot be parsed: ${errors[0].message}`)
  const nodes: Visited[] = []
  collect(program, undefined, nodes)
  const starts = [0, ...[...text.matchAll(/\n/g)].map(match => match.index + 1)]
  const lineOf = (offset: number) => starts.findLastIndex(start => start <= offset) + 1
  const imports = nodes.flatMap(({ node }) => {
    const found = importOf(node)
    if (!found) return []
    const { specifier, typeOnly } = found
    const target = specifier.startsWith('.')
      ? posix.normalize(posix.join(posix.dirname(path), specifier))
      : entries[specifier]
    return [{ specifier, target, typeOnly, line: lineOf(node.start) }]
  })
  return { path, text, imports, nodes, comments, lineOf }
}

function collect(node: Node, parent: Node | undefined, into: Visited[]): void {
  into.push({ node, parent })
  for (const key of visitorKeys[node.type] ?? []) {
    const child = (node as unknown as Record<string, Node | (Node | null)[] | null>)[key]
    for (const one of Array.isArray(child) ? child : [child]) if (one) collect(one, node, into)
  }
}

function importOf(node: Node): Pick<Import, 'specifier' | 'typeOnly'> | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
      return { specifier: node.source.value, typeOnly: node.importKind === 'type' }
    case 'ExportAllDeclaration':
      return { specifier: node.source.value, typeOnly: node.exportKind === 'type' }
    case 'ExportNamedDeclaration':
      return node.source
        ? { specifier: node.source.value, typeOnly: node.exportKind === 'type' }
        : undefined
    case 'ImportExpression':
      return node.source.type === 'Literal' && typeof node.source.value === 'string'
        ? { specifier: node.source.value, typeOnly: false }
        : undefined
    case 'TSImportType':
      return { specifier: node.source.value, typeOnly: true }
    default:
      return undefined
  }
}
