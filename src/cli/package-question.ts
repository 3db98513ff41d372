/**
 * Whether the package.json of an application has what npm reads only there: `overrides`, without
 * which it installs 500 MB that nothing uses, and the scripts that it may run.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import type { Question } from '../runtime/doctor.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

type Described = {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly overrides?: Readonly<Record<string, unknown>>
  readonly allowScripts?: Readonly<Record<string, boolean>>
}

export function packageQuestion(folder = process.cwd()): Question {
  return {
    name: 'package',
    says: 'The package.json of the application has what npm reads only there',
    ask: async () => {
      const own = await described(folder)
      const found = own?.dependencies?.['dodeca'] ? missing(own, await described(root)) : []
      if (found.length === 0) return { state: 'ok', found, advice: null }
      const advice =
        'Copy them from node_modules/dodeca/package.json into that of the application, then run `npm install`.'
      return { state: 'warning', found, advice }
    },
  }
}

async function described(folder: string): Promise<Described | undefined> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Described)
}

function missing(own: Described, ours: Described = {}): string[] {
  const overrides = Object.entries(ours.overrides ?? {}).filter(
    ([name, value]) => !isDeepStrictEqual(own.overrides?.[name], value),
  )
  const scripts = Object.entries(ours.allowScripts ?? {}).filter(
    ([name, allowed]) => own.allowScripts?.[name] !== allowed,
  )
  return [
    ...overrides.map(([name]) => `overrides: ${name}`),
    ...scripts.map(([name]) => `allowScripts: ${name}`),
  ]
}
