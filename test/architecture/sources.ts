/**
 * What a source file may read, how large it and its functions may grow, and how it opens. Time, chance
 * and the environment have one door each, so that a test can move or replace them.
 */
import type { Node } from 'oxc-parser'
import type { Fault, Module, Tree, Visited } from './tree.ts'
import { isProduction, isTest } from './zones.ts'

const lines_max = 300
const function_lines_max = 70
const clock_and_chance = new Set(['src/kernel/clock.ts', 'src/kernel/ids.ts'])
/** The settings of a surface are one table: it may be longer than other files. */
const tables = /^src\/(surfaces\/[^/]+|kernel)\/settings\.ts$/
const empty_names = /^(utils?|helpers?|common|managers?|services?|misc|data)$/

export function sourceFaults({ modules }: Tree): Fault[] {
  return modules.flatMap(module => [
    ...module.nodes.flatMap(visited =>
      verdicts(module, visited).map(([rule, says]) => ({
        rule,
        says,
        path: module.path,
        line: module.lineOf(visited.node.start),
      })),
    ),
    ...wholeFile(module).map(([rule, says]) => ({ rule, says, path: module.path, line: 1 })),
    ...unreasonedDisables(module),
  ])
}

type Verdict = readonly [rule: string, says: string]

function verdicts(module: Module, { node, parent }: Visited): Verdict[] {
  const found: Verdict[] = []
  const { path } = module
  if (isProduction(path) && !clock_and_chance.has(path)) {
    const source = clockOrChance(node)
    if (source) found.push(['clock-and-chance', `${source}: ask kernel/clock.ts or kernel/ids.ts`])
  }
  if (
    !/^(src\/runtime\/config\.ts$|scripts\/|bin\/|bench\/)/.test(path) &&
    !isTest(path) &&
    environment(node)
  ) {
    found.push([
      'environment',
      'only src/runtime/config.ts reads the environment: take typed options',
    ])
  }
  // An application is the default export of its file, wherever that lies.
  const banned = path.endsWith('dodeca.config.ts') ? undefined : bannedSyntax(node)
  if (banned) found.push(['banned-syntax', banned])
  const length = functionLength(module, node, parent)
  if (length > function_lines_max) found.push(['function-length', `a function of ${length} lines`])
  return found
}

function clockOrChance(node: Node): string | undefined {
  if (reads(node, 'Date', 'now')) return 'Date.now'
  if (reads(node, 'Math', 'random')) return 'Math.random'
  if (nameOf(node) === 'randomUUID') return 'randomUUID'
  const made = node.type === 'NewExpression' || node.type === 'CallExpression'
  if (!made || node.callee.type !== 'Identifier' || node.callee.name !== 'Date') return undefined
  return node.type === 'CallExpression' || node.arguments.length === 0 ? 'new Date()' : undefined
}

function environment(node: Node): boolean {
  if (node.type === 'ImportDeclaration' && /^(node:)?process$/.test(node.source.value)) {
    return node.specifiers.some(one => 'imported' in one && nameOf(one.imported) === 'env')
  }
  return reads(node, 'process', 'env')
}

/** `object.property`, `object['property']`, `globalThis.object.property`, `{ property } = object`. */
function reads(node: Node, object: string, property: string): boolean {
  if (node.type === 'MemberExpression') {
    return nameOf(node.property) === property && isNamed(node.object, object)
  }
  if (node.type !== 'VariableDeclarator' || node.id.type !== 'ObjectPattern') return false
  if (!node.init || !isNamed(node.init, object)) return false
  return node.id.properties.some(one => 'key' in one && nameOf(one.key) === property)
}

function isNamed(node: Node, name: string): boolean {
  return nameOf(node.type === 'MemberExpression' ? node.property : node) === name
}

function nameOf(node: Node): string | undefined {
  if (node.type === 'Identifier') return node.name
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
}

function bannedSyntax(node: Node): string | undefined {
  if (node.type === 'ExportDefaultDeclaration') return 'exports have names: no default export'
  if (node.type === 'ExportSpecifier' && nameOf(node.exported) === 'default') {
    return 'exports have names: no default export'
  }
  if (node.type === 'TSEnumDeclaration') return 'a union of literals instead of an enum'
  if (node.type === 'TSParameterProperty') return 'a field instead of a parameter property'
  const merges = node.type === 'TSModuleDeclaration' && (node.global || node.id.type === 'Literal')
  return node.type === 'TSModuleDeclaration' && !merges
    ? 'a module instead of a namespace'
    : undefined
}

/** The callback of `describe`, or of a function named so, is a list of tests: its length says nothing. */
function functionLength({ lineOf }: Module, node: Node, parent: Node | undefined): number {
  if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type))
    return 0
  let callee = parent?.type === 'CallExpression' ? parent.callee : undefined
  while (callee?.type === 'MemberExpression' || callee?.type === 'CallExpression') {
    callee = callee.type === 'MemberExpression' ? callee.object : callee.callee
  }
  if (callee?.type === 'Identifier' && callee.name.startsWith('describe')) return 0
  return lineOf(node.end - 1) - lineOf(node.start) + 1
}

function wholeFile({ path, text, comments }: Module): Verdict[] {
  const found: Verdict[] = []
  const lines = text.replace(/\n$/, '').split('\n').length
  if (lines > lines_max && !tables.test(path)) found.push(['file-length', `${lines} lines`])
  const opening = text.length - text.replace(/^#!.*\n/, '').trimStart().length
  if (!comments.some(({ start }) => start === opening)) {
    found.push(['opening', 'a file opens with what it owns and which invariant it keeps'])
  }
  const empty = path.split('/').find(part => empty_names.test(part.replace(/\..*$/, '')))
  if (empty) found.push(['empty-name', `${empty} says nothing: name the noun or the verb`])
  return found
}

function unreasonedDisables({ path, comments, lineOf }: Module): Fault[] {
  return comments
    .filter(({ value }) => /\b(ox|es)lint-disable/.test(value) && !/ -- .{10}/.test(value))
    .map(({ start }) => ({
      rule: 'disable-reason',
      path,
      line: lineOf(start),
      says: 'a disabled rule carries its reason after ` -- `',
    }))
}
