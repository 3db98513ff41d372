/**
 * What SQL may name. Modules leak through the database first: a surface's statements and migrations
 * touch its own schema and the kernel's, and only the kernel announces anything.
 */
import type { CallExpression, Node, TaggedTemplateExpression } from 'oxc-parser'
import { contractTable } from '../contract-table.ts'
import type { Fault, Module, Source, Tree } from './tree.ts'
import { isProduction, zoneOf } from './zones.ts'

type Statement = { readonly path: string; readonly line: number; readonly text: string }

export function sqlFaults({ files, modules }: Tree): Fault[] {
  const surfaces = files.flatMap(({ path }) => {
    const zone = zoneOf(path)
    return zone.kind === 'surface' ? [zone.name] : []
  })
  const schemas = new Set(['kernel', ...contractTable.map(row => row.surface), ...surfaces])
  const statements = [
    ...files.filter(({ path }) => path.endsWith('.sql')).map(migration),
    ...modules.flatMap(templates),
  ].map(statement => ({ ...statement, text: withoutTexts(statement.text) }))
  return statements.flatMap(statement => [
    ...foreignSchemas(statement, [...schemas]),
    ...announcements(statement),
  ])
}

function migration({ path, text }: Source): Statement {
  return { path, text, line: 1 }
}

/** Every `sql` template, and every name that `sql.id` or a `table: '…'` puts together from code. */
function templates({ path, nodes, lineOf }: Module): Statement[] {
  return nodes.flatMap(({ node }) => {
    const text = isSqlTemplate(node)
      ? textOf(node)
      : (isSqlId(node) && qualifiedName(node)) || (isProduction(path) && tableOf(node))
    return text ? [{ path, text, line: lineOf(node.start) }] : []
  })
}

function isSqlTemplate(node: Node): node is TaggedTemplateExpression {
  return (
    node.type === 'TaggedTemplateExpression' &&
    node.tag.type === 'Identifier' &&
    node.tag.name === 'sql'
  )
}

function isSqlId(node: Node): node is CallExpression {
  return (
    node.type === 'CallExpression' &&
    node.callee.type === 'MemberExpression' &&
    node.callee.object.type === 'Identifier' &&
    node.callee.object.name === 'sql' &&
    node.callee.property.type === 'Identifier' &&
    node.callee.property.name === 'id'
  )
}

/** The name of a table in a declaration for the kernel, such as a queue or a retention. */
function tableOf(node: Node): string {
  if (node.type !== 'Property' || node.key.type !== 'Identifier' || node.key.name !== 'table') {
    return ''
  }
  const { value } = node
  return value.type === 'Literal' && typeof value.value === 'string' ? `from ${value.value}` : ''
}

function textOf({ quasi }: TaggedTemplateExpression): string {
  return quasi.quasis.map(({ value }) => value.cooked ?? value.raw).join(' $1 ')
}

function qualifiedName({ arguments: names }: CallExpression): string {
  const [schema] = names
  if (names.length < 2 || schema?.type !== 'Literal') return ''
  return typeof schema.value === 'string' ? `from ${schema.value}.x` : ''
}

/** Comments and quoted texts name permissions and events, not tables; their lines stay. */
function withoutTexts(text: string): string {
  return text.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'/g, skipped =>
    skipped.replaceAll(/[^\n]/g, ' '),
  )
}

function foreignSchemas({ path, line, text }: Statement, schemas: readonly string[]): Fault[] {
  const allowed = allowedSchemas(path)
  if (!allowed) return []
  const names = schemas.join('|')
  const naming = new RegExp(
    `(?<![\\w.$"])"?(${names})"?\\s*\\.\\s*["a-z_*]|` +
      `\\b(?:schema|search_path\\s*=|search_path\\s+to)\\s+(?:if\\s+(?:not\\s+)?exists\\s+)?"?(${names})\\b`,
    'gi',
  )
  return [...text.matchAll(naming)].flatMap(match => {
    const schema = (match[1] ?? match[2] ?? '').toLowerCase()
    if (allowed.includes(schema)) return []
    const says = `SQL names the schema ${schema}; only ${allowed.join(' and ') || 'none'} is its own`
    return [{ rule: 'foreign-schema', path, line: line + breaks(text, match.index), says }]
  })
}

/** Undefined for what spans surfaces on purpose: tests, tools and benches. */
function allowedSchemas(path: string): string[] | undefined {
  const zone = zoneOf(path)
  if (zone.kind === 'surface') return [zone.name, 'kernel']
  if (zone.kind === 'kernel' || zone.kind === 'root') return ['kernel']
  return zone.kind === 'sandbox' ? [] : undefined
}

function announcements({ path, line, text }: Statement): Fault[] {
  if (!isProduction(path) || zoneOf(path).kind === 'kernel') return []
  const announcing =
    /\bpg_notify\s*\(|(^|;|\bthen|\belse|\bbegin|\bperform)\s*notify\b|\binsert\s+into\s+("?kernel"?\s*\.\s*)?"?outbox_events\b/gi
  return [...text.matchAll(announcing)].map(match => ({
    rule: 'announcement',
    path,
    line: line + breaks(text, match.index),
    says: 'only the kernel notifies and writes the outbox: use tx.emit()',
  }))
}

function breaks(text: string, end: number): number {
  return text.slice(0, end).split('\n').length - 1
}
