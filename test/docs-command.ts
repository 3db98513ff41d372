/**
 * `npx dodeca` (and `npx node`) as a reader of the documents uses it: a person with an authenticator app, who types
 * the code for the address that the command prints.
 */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { URI } from 'otpauth'
import { bundled } from '../scripts/bundle.mjs'

const [name, ...words] = process.argv.slice(2)
if (name !== 'dodeca' && name !== 'node') {
  throw new Error(`the documents use npx for dodeca and node only, and not for ${name}`)
}
const source = resolve(import.meta.dirname, '../src/cli.ts')
const cli = bundled('src/cli.ts', { kind: 'test' }) ?? source
const program = name === 'node' ? words : [cli, ...words]
const child = spawn(process.execPath, program, { stdio: ['pipe', 'pipe', 'inherit'] })
let printed = ''
child.stdout.on('data', (chunk: Buffer) => {
  process.stdout.write(chunk)
  printed += chunk.toString()
  const address = /otpauth:\S+(?=\s)/.exec(printed)?.[0]
  if (address && child.stdin.writable) child.stdin.end(`${URI.parse(address).generate()}\n`)
})
child.on('exit', code => {
  process.exitCode = code ?? 1
})
