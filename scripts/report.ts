/**
 * Writes api/report.md: the declarations of everything that an application can import, and of what
 * these name. A change of it is a change of what is kept stable. `npm run generate` writes it, and a
 * test compares.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { parseSync, visitorKeys, type Node } from 'oxc-parser'
import { declareTypes, entries } from './pack.ts'

const root = resolve(import.meta.dirname, '..')

/** A declaration of one file by its name. */
type Place = { readonly file: string; readonly name: string }
type Source = {
  readonly declared: Map<string, { readonly texts: string[]; readonly nodes: Node[] }>
  readonly imported: Map<string, Place>
  /** In this file or another one. */
  readonly exported: Map<string, Place>
}

export async function report(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-types-'))
  try {
    await declareTypes(folder)
    return await reportOf(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function reportOf(folder: string): Promise<string> {
  const graph = openGraph(folder)
  const seen = new Map<string, Place>()
  const add = (places: readonly (Place | null)[]) => {
    const fresh = places.filter(one => one !== null).filter(one => !seen.has(keyOf(one)))
    fresh.forEach(one => seen.set(keyOf(one), one))
    return fresh
  }
  const parts: string[] = []
  for (const [name, source] of Object.entries(entries)) {
    const file = join(folder, source.replace('.ts', '.d.ts'))
    const names = [...(await graph.load(file)).exported.keys()]
    const found = await Promise.all(names.map(one => graph.resolve({ file, name: one })))
    parts.push(await section(`dodeca${name.slice(1)}`, add(found), graph))
  }
  const inside: Place[] = []
  // What is found is looked at in its turn.
  for (const place of seen.values()) inside.push(...add(await graph.named(place)))
  parts.push(await section('Named by these, and not exported', inside, graph))
  return `# What an application can import\n\n\`npm run generate\` writes this file from the types of the package. A change of it is a change of what is kept stable. A name of \`dodeca\` is not repeated below \`dodeca/kernel\`, which has it too; \`Type\` and \`Static\` are those of typebox.\n\n${parts.join('\n')}`
}

const keyOf = ({ file, name }: Place) => `${file} ${name}`

/** A test may look at them; nothing of them is kept stable. */
const unstable: readonly string[] = ['Ground', 'Platform']

type Graph = ReturnType<typeof openGraph>

async function section(title: string, places: readonly Place[], graph: Graph): Promise<string> {
  const sorted = places.toSorted((one, other) =>
    `${one.name} ${one.file}` < `${other.name} ${other.file}` ? -1 : 1,
  )
  const texts = await Promise.all(sorted.map(one => graph.textOf(one)))
  return `## ${title}\n\n\`\`\`ts\n${texts.join('\n')}\n\`\`\`\n`
}

function openGraph(folder: string) {
  const sources = new Map<string, Promise<Source>>()
  const load = (file: string): Promise<Source> => {
    const found = sources.get(file) ?? read(folder, file)
    sources.set(file, found)
    return found
  }
  const resolvePlace = async ({ file, name }: Place): Promise<Place | null> => {
    // What a package declares is not ours.
    if (!file.startsWith(folder)) return null
    const { declared, imported, exported } = await load(file)
    const next = exported.get(name) ?? imported.get(name)
    if (next && keyOf(next) !== keyOf({ file, name })) return await resolvePlace(next)
    return declared.has(name) ? { file, name } : null
  }
  const named = async ({ file, name }: Place): Promise<(Place | null)[]> => {
    const { declared, imported } = await load(file)
    const words = new Set<string>()
    const elsewhere: Place[] = []
    for (const node of declared.get(name)?.nodes ?? []) {
      for (const one of nodesOf(node)) {
        if (one.type === 'Identifier') words.add(one.name)
        if (one.type !== 'TSImportType' || one.qualifier?.type !== 'Identifier') continue
        elsewhere.push({ file: fileOf(folder, file, one.source.value), name: one.qualifier.name })
      }
    }
    const known = [...words].filter(
      word => !unstable.includes(word) && (declared.has(word) || imported.has(word)),
    )
    const places = [...known.map(word => imported.get(word) ?? { file, name: word }), ...elsewhere]
    return await Promise.all(places.map(resolvePlace))
  }
  const textOf = async ({ file, name }: Place) =>
    (await load(file)).declared.get(name)?.texts.join('\n') ?? ''
  return { load, resolve: resolvePlace, named, textOf }
}

/** The file of a specifier; for a package its name, which is no file of ours. */
function fileOf(folder: string, from: string, specifier: string): string {
  if (specifier === '#dodeca/kernel') return join(folder, 'src/kernel/entry.d.ts')
  if (!specifier.startsWith('.')) return specifier
  return join(dirname(from), specifier).replace(/(?<!\.d)\.ts$/, '.d.ts')
}

async function read(folder: string, file: string): Promise<Source> {
  const text = await readFile(file, 'utf8')
  const { program, comments, errors } = parseSync(file, text)
  if (errors[0]) throw new Error(`${relative(folder, file)} cannot be parsed: ${errors[0].message}`)
  const source: Source = { declared: new Map(), imported: new Map(), exported: new Map() }
  const declare = (node: Node) => {
    for (const name of namesOf(node)) {
      const found = source.declared.get(name) ?? { texts: [], nodes: [] }
      const [start, end] = [node.start, node.end]
      const inside = comments.filter(one => one.start >= start && one.end <= end)
      found.texts.push(textWithout(text, start, end, inside))
      found.nodes.push(node)
      source.declared.set(name, found)
    }
  }
  for (const node of program.body) {
    if (node.type === 'ImportDeclaration') {
      for (const one of node.specifiers) {
        const from = fileOf(folder, file, node.source.value)
        const name = one.type === 'ImportSpecifier' ? wordOf(one.imported) : 'default'
        source.imported.set(one.local.name, { file: from, name })
      }
    } else if (node.type === 'ExportNamedDeclaration') {
      const from = node.source ? fileOf(folder, file, node.source.value) : file
      for (const one of node.specifiers) {
        source.exported.set(wordOf(one.exported), { file: from, name: wordOf(one.local) })
      }
      if (!node.declaration) continue
      declare(node.declaration)
      namesOf(node.declaration).forEach(name => source.exported.set(name, { file, name }))
    } else declare(node)
  }
  return source
}

type Word = { readonly type: string; readonly name?: string; readonly value?: string }
const wordOf = (one: object) => (one as Word).name ?? (one as Word).value ?? ''

function namesOf(node: Node): string[] {
  if (node.type === 'VariableDeclaration') return node.declarations.map(({ id }) => wordOf(id))
  const { id } = node as { id?: object | null }
  return id ? [wordOf(id)] : []
}

type Span = { readonly start: number; readonly end: number }

function textWithout(text: string, from: number, to: number, comments: readonly Span[]): string {
  let said = ''
  let at = from
  for (const { start, end } of comments) {
    said += text.slice(at, start)
    at = end
  }
  said += text.slice(at, to)
  return said
    .replace(/^declare /, '')
    .replaceAll(/import\("[^"]*"\)\./g, '')
    .replaceAll(/\n\s*(?=\n)/g, '')
}

function nodesOf(node: Node): Node[] {
  const inside = (visitorKeys[node.type] ?? []).flatMap(key => {
    const value = (node as unknown as Record<string, unknown>)[key] as Node | Node[] | null
    return (Array.isArray(value) ? value : [value]).filter(one => one !== null && one !== undefined)
  })
  return [node, ...inside.flatMap(nodesOf)]
}

if (import.meta.main) {
  await writeFile(join(root, 'api/report.md'), await report())
  console.log('api/report.md is up to date.')
}
