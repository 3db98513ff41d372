/**
 * Holds the source tree to the rules of the house, and the rules to their purpose: each of them must
 * fire on a source that breaks it and stay silent on one that does not.
 */
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { architectureFaults } from './architecture/rules.ts'
import { readTree, treeOf, type Fault } from './architecture/tree.ts'
import { violations } from './architecture/violations.ts'

const rules = [
  'announcement',
  'banned-syntax',
  'circle',
  'client-border',
  'clock-and-chance',
  'disable-reason',
  'empty-name',
  'environment',
  'face-circle',
  'file-length',
  'fixed-name',
  'folder-circle',
  'foreign-schema',
  'function-length',
  'kernel-border',
  'kernel-entry',
  'kernel-order',
  'opaque-import',
  'opening',
  'package-owner',
  'production-border',
  'runtime-border',
  'sandbox-border',
  'surface-border',
]

test('the house keeps its rules', async () => {
  const tree = await readTree(resolve(import.meta.dirname, '..'))
  const paths = tree.files.map(({ path }) => path)
  expect(paths).toContain('src/kernel/database/sql.ts')
  expect(paths).toContain('src/kernel/migrations/0001-kernel.sql')
  expect(paths).toContain('test/architecture.pure.test.ts')
  expect(paths.filter(path => /node_modules|\.d\.ts$/.test(path))).toEqual([])
  expect(architectureFaults(tree).map(sentence)).toEqual([])
})

describe('the rules', () => {
  test.for(violations)('$title: $rule', ({ rule, files }) => {
    // A part of a surface is not a whole one; the rule on fixed names has its own test below.
    const fired = faultsIn(files).filter(fault => fault.rule !== 'fixed-name')
    expect(new Set(fired.map(fault => fault.rule))).toEqual(new Set(rule === null ? [] : [rule]))
  })

  test('a surface without one of the four files that every surface has', () => {
    const names = ['README.md', 'surface.ts', 'schemas.ts', 'routes.ts']
    const whole = Object.fromEntries(names.map(name => [`src/surfaces/jobs/${name}`, '']))
    expect(faultsIn(whole)).toEqual([])
    for (const path of Object.keys(whole)) {
      const { [path]: _, ...rest } = whole
      const says = `every surface has a ${path.split('/').at(-1)}`
      expect(faultsIn(rest)).toMatchObject([{ rule: 'fixed-name', says }])
    }
  })

  test('a surface of resources needs no files for routes and schemas', () => {
    const text = 'export const a = surface({ resources: [b] })'
    const files = { 'src/surfaces/jobs/README.md': '', 'src/surfaces/jobs/surface.ts': text }
    expect(faultsIn(files).filter(({ rule }) => rule === 'fixed-name')).toEqual([])
  })

  test('a file without an opening comment', () => {
    expect(faultsOf('const a = 1\n// Late.\n')).toMatchObject([{ rule: 'opening' }])
    expect(faultsOf('// In time.\nconst a = 1\n')).toEqual([])
    expect(faultsOf('#!/usr/bin/env node\n/** In time. */\nconst a = 1\n')).toEqual([])
  })

  test('name the file and the line', () => {
    const [fault] = faultsIn({
      'src/surfaces/jobs/a.ts': 'const a = 1\n\nsql`\nselect b.c\nfrom chat.d`',
    })
    expect(fault).toMatchObject({ path: 'src/surfaces/jobs/a.ts', line: 6 })
  })

  test('each have a case that breaks them', () => {
    const proven = new Set(violations.map(({ rule }) => rule))
    const here = ['fixed-name', 'opening']
    expect([...proven, ...here].filter(rule => rule !== null).toSorted()).toEqual(rules)
  })

  test('a source that cannot be parsed is an error, not a pass', () => {
    expect(() => faultsIn({ 'src/platform.ts': 'const = 1' })).toThrow(
      'src/platform.ts cannot be parsed',
    )
  })
})

function faultsIn(files: Readonly<Record<string, string>>): Fault[] {
  const sources = Object.entries(files).map(([path, text]) => ({
    path,
    text: path.endsWith('.sql') ? `-- Opens.\n${text}` : `/** Opens. */\n${text}`,
  }))
  return architectureFaults(treeOf(sources))
}

function faultsOf(text: string): Fault[] {
  return architectureFaults(treeOf([{ path: 'src/platform.ts', text }]))
}

function sentence({ path, line, rule, says }: Fault): string {
  return `${path}:${line} ${rule}: ${says}`
}
