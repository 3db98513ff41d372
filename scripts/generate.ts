/** Writes everything that is made from the routes into a folder. scripts/generated.mjs starts it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { declarations } from '../client/declare.ts'
import { generated, type ApiDocument } from '../client/generate.ts'
import { composition } from '../src/platform.ts'
import { gather } from '../src/runtime/gather-declarations.ts'
import { openApiText, openProduct } from './openapi.ts'
import { operationsPage } from './operations.ts'
import { toolsPage } from './tools.ts'

const [folder = '.'] = process.argv.slice(2)
const text = await openApiText()
const document = JSON.parse(text) as ApiDocument
const { routes, kernel, stop } = await openProduct()
const tools = toolsPage(routes, kernel.tools())
await stop()
const files = {
  'openapi.json': text,
  'operations.md': operationsPage(routes, gather(composition.surfaces), document),
  'tools.md': tools,
  'declarations.json': JSON.stringify(await declarations()),
  ...(await generated(document)),
}
for (const [name, made] of Object.entries(files)) await writeFile(join(folder, name), made)
