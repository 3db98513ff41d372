/** The `dodeca` command, which prints the files that were loaded as its last line. */
import { Session } from 'node:inspector/promises'
import { dodeca } from '../../cli.ts'

process.exitCode = await dodeca(process.argv.slice(2))
const session = new Session()
session.connect()
const urls: string[] = []
session.on('Debugger.scriptParsed', ({ params }) => urls.push(params.url))
await session.post('Debugger.enable')
process.stdout.write(`\n${JSON.stringify(urls)}\n`)
