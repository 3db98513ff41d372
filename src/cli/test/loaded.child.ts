/** Loads the program without starting it, and prints the files of packages that came with it. */
import { Session } from 'node:inspector/promises'

await import('../../runtime/start.ts')
await import('../../platform.ts')
const session = new Session()
session.connect()
const urls: string[] = []
session.on('Debugger.scriptParsed', ({ params }) => urls.push(params.url))
await session.post('Debugger.enable')
const files = urls.flatMap(url => /.*\/node_modules\/(.+)/.exec(url)?.[1] ?? [])
process.stdout.write(JSON.stringify(files))
