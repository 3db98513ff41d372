/**
 * Writes the types of all operations of the application of this folder, its own ones too, for
 * `createClient<paths>()` and `login<paths>()`.
 */
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StartError } from '#dodeca/kernel'
import { generated, type ApiDocument } from '../../client/generate.ts'
import { openUnconnected } from '../runtime/open-unconnected.ts'
import type { Command } from './command.ts'

export const clientCommand: Command = {
  words: 'client',
  takes: ['[file]'],
  summary: 'Write the types of all operations for the client',
  more: [
    'Then `import { keyed, type paths } from "./client.ts"`, and `login<paths>({ keyed, … })` or ' +
      '`createClient<paths>({ keyed, … })` of `dodeca/client` know the operations of your surfaces.',
  ],
  run: async call => {
    const file = resolve(call.args[0] ?? 'client.ts')
    const config = call.config({ PUBLIC_URL: 'http://localhost:8080', KERNEL_FAULTS: '' })
    const platform = await openUnconnected(config, await call.composition())
    const document = JSON.parse(platform.document()) as ApiDocument
    await platform.stop()
    const { 'schema.d.ts': types, 'operations.ts': keyed } = await generated(document, tool())
    await writeFile(file, `${types}\n${keyed}`)
    const operations = Object.values(document.paths).flatMap(one => Object.keys(one)).length
    call.terminal.answer({ file, operations }, [`${operations} operations are in ${file}.`])
  },
}

/** It belongs to the application, because it needs TypeScript 5 beside it. */
function tool(): string {
  const name = 'openapi-typescript'
  try {
    return pathToFileURL(createRequire(join(process.cwd(), 'package.json')).resolve(name)).href
  } catch {
    throw new StartError(
      `The types are made by ${name}. Install it: npm install --save-dev ${name}@7.13.0 typescript@5.9.3`,
    )
  }
}
